#pragma once

/// No core file and no ptrace by other processes of the same user. Returns 0, or -1 with errno.
int cshims_forbid_dumping(void);
