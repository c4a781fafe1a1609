// Only nodes of clusters need libnats, and each distribution has another version of it under another name. So the program
// does not ask the linker for it: the functions here have the names of those in libnats, and call those.
#include "CNats.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

// What libnats calls when it passes something on.
typedef natsConnectionHandler connection_handler;

#define FUNCTIONS(F)                                                                                                       \
    F(const char *, natsStatus_GetText, (natsStatus status), (status))                                                     \
    F(natsStatus, natsInbox_Create, (natsInbox **inbox), (inbox))                                                          \
    F(natsStatus, natsOptions_Create, (natsOptions **options), (options))                                                  \
    F(natsStatus, natsOptions_SetServers, (natsOptions *options, const char **servers, int count),                         \
      (options, servers, count))                                                                                           \
    F(natsStatus, natsOptions_SetName, (natsOptions *options, const char *name), (options, name))                          \
    F(natsStatus, natsOptions_SetSecure, (natsOptions *options, bool secure), (options, secure))                           \
    F(natsStatus, natsOptions_LoadCATrustedCertificates, (natsOptions *options, const char *file), (options, file))        \
    F(natsStatus, natsOptions_SetUserCredentialsFromFiles, (natsOptions *options, const char *file, const char *seed),     \
      (options, file, seed))                                                                                               \
    F(natsStatus, natsOptions_SetTimeout, (natsOptions *options, int64_t time), (options, time))                           \
    F(natsStatus, natsOptions_SetWriteDeadline, (natsOptions *options, int64_t time), (options, time))                     \
    F(natsStatus, natsOptions_SetPingInterval, (natsOptions *options, int64_t time), (options, time))                      \
    F(natsStatus, natsOptions_SetMaxPingsOut, (natsOptions *options, int count), (options, count))                         \
    F(natsStatus, natsOptions_SetMaxReconnect, (natsOptions *options, int count), (options, count))                        \
    F(natsStatus, natsOptions_SetReconnectWait, (natsOptions *options, int64_t time), (options, time))                     \
    F(natsStatus, natsOptions_SetSendAsap, (natsOptions *options, bool soon), (options, soon))                             \
    F(natsStatus, natsOptions_UseGlobalMessageDelivery, (natsOptions *options, bool global), (options, global))            \
    F(natsStatus, natsOptions_SetClosedCB, (natsOptions *options, connection_handler handler, void *context),              \
      (options, handler, context))                                                                                         \
    F(natsStatus, natsOptions_SetDisconnectedCB, (natsOptions *options, connection_handler handler, void *context),        \
      (options, handler, context))                                                                                         \
    F(natsStatus, natsOptions_SetReconnectedCB, (natsOptions *options, connection_handler handler, void *context),         \
      (options, handler, context))                                                                                         \
    F(natsStatus, natsConnection_Connect, (natsConnection **connection, natsOptions *options), (connection, options))      \
    F(natsStatus, natsConnection_PublishMsg, (natsConnection *connection, natsMsg *message), (connection, message))        \
    F(natsStatus, natsConnection_Subscribe,                                                                                \
      (natsSubscription **subscription, natsConnection *connection, const char *subject, natsMsgHandler handler,           \
       void *context),                                                                                                     \
      (subscription, connection, subject, handler, context))                                                               \
    F(int64_t, natsConnection_GetMaxPayload, (natsConnection *connection), (connection))                                   \
    F(natsStatus, natsSubscription_SetOnCompleteCB,                                                                        \
      (natsSubscription *subscription, natsOnCompleteCB handler, void *context), (subscription, handler, context))         \
    F(natsStatus, natsSubscription_SetPendingLimits, (natsSubscription *subscription, int messages, int bytes),            \
      (subscription, messages, bytes))                                                                                     \
    F(natsStatus, natsSubscription_Unsubscribe, (natsSubscription *subscription), (subscription))                          \
    F(natsStatus, natsMsg_Create,                                                                                          \
      (natsMsg **message, const char *subject, const char *reply, const char *data, int count),                            \
      (message, subject, reply, data, count))                                                                              \
    F(const char *, natsMsg_GetSubject, (const natsMsg *message), (message))                                               \
    F(const char *, natsMsg_GetReply, (const natsMsg *message), (message))                                                 \
    F(const char *, natsMsg_GetData, (const natsMsg *message), (message))                                                  \
    F(int, natsMsg_GetDataLength, (const natsMsg *message), (message))                                                     \
    F(natsStatus, natsMsgHeader_Keys, (natsMsg *message, const char ***keys, int *count), (message, keys, count))          \
    F(natsStatus, natsMsgHeader_Get, (natsMsg *message, const char *key, const char **value), (message, key, value))       \
    F(natsStatus, natsMsgHeader_Set, (natsMsg *message, const char *key, const char *value), (message, key, value))        \
    PROCEDURES(F)

#define PROCEDURES(F)                                                                                                      \
    F(void, natsInbox_Destroy, (natsInbox *inbox), (inbox))                                                                \
    F(void, natsOptions_Destroy, (natsOptions *options), (options))                                                        \
    F(void, natsConnection_Close, (natsConnection *connection), (connection))                                              \
    F(void, natsConnection_Destroy, (natsConnection *connection), (connection))                                            \
    F(void, natsSubscription_Destroy, (natsSubscription *subscription), (subscription))                                    \
    F(void, natsMsg_Destroy, (natsMsg *message), (message))

#define FORWARD(result, name, parameters, arguments)                                                                       \
    static __typeof__(&name) loaded_##name;                                                                                \
    result name parameters { return loaded_##name arguments; }

FUNCTIONS(FORWARD)

#define FIND(result, name, parameters, arguments)                                                                          \
    loaded_##name = (__typeof__(&name))dlsym(library, #name);                                                              \
    whole = whole && loaded_##name != NULL;

// What is used here is the same in all of them.
static const int first_minor = 4, last_minor = 30;

bool cnats_load(void) {
    void *library = NULL;
    for (int minor = last_minor; library == NULL && minor >= first_minor; minor--) {
        char name[32];
        snprintf(name, sizeof name, "libnats.so.3.%d", minor);
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    bool whole = library != NULL;
    if (whole) {
        FUNCTIONS(FIND)
    }
    return whole;
}
