#pragma once

#include <stdbool.h>

#include <curl/curl.h>

/// Loads libcurl, without which no function of it may be called. Returns whether it is there.
///
/// Only one thread may call it.
bool ccurl_load(void);

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic; one function for each type of argument.

CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value);
CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, const void *value);

typedef size_t (*ccurl_sink)(char *bytes, size_t size, size_t count, void *context);

CURLcode ccurl_set_sink(CURL *handle, CURLoption option, ccurl_sink sink);
CURLcode ccurl_set_opensocket(CURL *handle, curl_opensocket_callback open);
CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value);

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value);
CURLMcode ccurl_multi_set_watcher(CURLM *multi, curl_socket_callback watch);
CURLMcode ccurl_multi_set_timer(CURLM *multi, curl_multi_timer_callback set);

CURLUcode ccurl_url_get(CURLU *url, CURLUPart part, char **text, unsigned int flags);
