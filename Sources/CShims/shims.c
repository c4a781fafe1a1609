#define _GNU_SOURCE
#include "CShims.h"

#include <sys/prctl.h>

int cshims_forbid_dumping(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
