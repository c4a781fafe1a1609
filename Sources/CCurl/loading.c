// libcurl comes with 30 libraries, and only a server makes requests by it. So the program does not ask the linker for it:
// the functions here have the names of those in libcurl, and call those.
#include "CCurl.h"

#include <dlfcn.h>
#include <stddef.h>

// libcurl's header checks the arguments of these by macros.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define FUNCTIONS(F)                                                                                                       \
    F(CURLcode, curl_global_init, (long flags), (flags))                                                                   \
    F(char *, curl_version, (void), ())                                                                                    \
    F(CURL *, curl_easy_init, (void), ())                                                                                  \
    F(CURLcode, curl_easy_perform, (CURL *handle), (handle))                                                               \
    F(const char *, curl_easy_strerror, (CURLcode code), (code))                                                           \
    F(struct curl_slist *, curl_slist_append, (struct curl_slist *list, const char *text), (list, text))                   \
    F(CURLM *, curl_multi_init, (void), ())                                                                                \
    F(CURLMcode, curl_multi_add_handle, (CURLM *multi, CURL *handle), (multi, handle))                                     \
    F(CURLMcode, curl_multi_remove_handle, (CURLM *multi, CURL *handle), (multi, handle))                                  \
    F(CURLMcode, curl_multi_socket_action, (CURLM *multi, curl_socket_t socket, int events, int *running),                 \
      (multi, socket, events, running))                                                                                    \
    F(CURLMsg *, curl_multi_info_read, (CURLM *multi, int *left), (multi, left))                                           \
    F(CURLMcode, curl_multi_cleanup, (CURLM *multi), (multi))                                                              \
    F(CURLU *, curl_url, (void), ())                                                                                       \
    F(CURLUcode, curl_url_set, (CURLU *url, CURLUPart part, const char *text, unsigned int flags),                         \
      (url, part, text, flags))                                                                                            \
    PROCEDURES(F)

#define PROCEDURES(F)                                                                                                      \
    F(void, curl_easy_cleanup, (CURL *handle), (handle))                                                                   \
    F(void, curl_slist_free_all, (struct curl_slist *list), (list))                                                        \
    F(void, curl_url_cleanup, (CURLU *url), (url))                                                                         \
    F(void, curl_free, (void *bytes), (bytes))

#define FORWARD(result, name, parameters, arguments)                                                                       \
    static __typeof__(&name) loaded_##name;                                                                                \
    result name parameters { return loaded_##name arguments; }

FUNCTIONS(FORWARD)

static CURLcode (*set)(CURL *handle, CURLoption option, ...);
static CURLcode (*get)(CURL *handle, CURLINFO info, ...);
static CURLMcode (*set_multi)(CURLM *multi, CURLMoption option, ...);
// Its first parameter is constant from version 8 on.
static __typeof__(&curl_url_get) get_part;

#define FIND(result, name, parameters, arguments)                                                                          \
    loaded_##name = (__typeof__(&name))dlsym(library, #name);                                                              \
    whole = whole && loaded_##name != NULL;

bool ccurl_load(void) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    bool whole = library != NULL;
    if (whole) {
        FUNCTIONS(FIND)
        set = (__typeof__(set))dlsym(library, "curl_easy_setopt");
        get = (__typeof__(get))dlsym(library, "curl_easy_getinfo");
        set_multi = (__typeof__(set_multi))dlsym(library, "curl_multi_setopt");
        get_part = (__typeof__(get_part))dlsym(library, "curl_url_get");
        whole = whole && set != NULL && get != NULL && set_multi != NULL && get_part != NULL;
    }
    return whole;
}

CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) { return set(handle, option, value); }

CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) { return set(handle, option, value); }

CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, const void *value) { return set(handle, option, value); }

CURLcode ccurl_set_sink(CURL *handle, CURLoption option, ccurl_sink sink) { return set(handle, option, sink); }

CURLcode ccurl_set_opensocket(CURL *handle, curl_opensocket_callback open) {
    return set(handle, CURLOPT_OPENSOCKETFUNCTION, open);
}

CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) { return get(handle, info, value); }

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) { return set_multi(multi, option, value); }

CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return set_multi(multi, option, value);
}

CURLMcode ccurl_multi_set_watcher(CURLM *multi, curl_socket_callback watch) {
    return set_multi(multi, CURLMOPT_SOCKETFUNCTION, watch);
}

CURLMcode ccurl_multi_set_timer(CURLM *multi, curl_multi_timer_callback set_timer) {
    return set_multi(multi, CURLMOPT_TIMERFUNCTION, set_timer);
}

CURLUcode ccurl_url_get(CURLU *url, CURLUPart part, char **text, unsigned int flags) {
    return get_part(url, part, text, flags);
}
