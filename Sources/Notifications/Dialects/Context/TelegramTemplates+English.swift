extension TelegramTemplates {
    /// Telegram's documented templates: key, tab, text. Where a key stands twice, the first one is
    /// without the group and the second with it.
    static let englishTable = """
        AUTH_REGION	New login from unrecognized device {1}, location: {2}
        AUTH_UNKNOWN	New login from unrecognized device {1}
        CHANNEL_MESSAGES	{1} posted an album
        CHANNEL_MESSAGE_AUDIO	{1} posted a voice message
        CHANNEL_MESSAGE_CONTACT	{1} posted a contact {2}
        CHANNEL_MESSAGE_DOC	{1} posted a file
        CHANNEL_MESSAGE_DOCS	{1} posted {2} files
        CHANNEL_MESSAGE_FWDS	{1} posted {2} forwarded messages
        CHANNEL_MESSAGE_GAME	{1} invited you to play {2}
        CHANNEL_MESSAGE_GAME_SCORE	{1} scored {3} in game {2}
        CHANNEL_MESSAGE_GEO	{1} posted a location
        CHANNEL_MESSAGE_GEOLIVE	{1} posted a live location
        CHANNEL_MESSAGE_GIF	{1} posted a GIF
        CHANNEL_MESSAGE_GIVEAWAY	{1} posted a giveaway of {2}x {3}m Premium subscriptions
        CHANNEL_MESSAGE_NOTEXT	{1} posted a message
        CHANNEL_MESSAGE_PHOTO	{1} posted a photo
        CHANNEL_MESSAGE_PHOTOS	{1} posted {2} photos
        CHANNEL_MESSAGE_PLAYLIST	{1} posted {2} music files
        CHANNEL_MESSAGE_POLL	{1} posted a poll {2}
        CHANNEL_MESSAGE_QUIZ	{1} posted a quiz {2}
        CHANNEL_MESSAGE_ROUND	{1} posted a video message
        CHANNEL_MESSAGE_STICKER	{1} posted a {2} sticker
        CHANNEL_MESSAGE_STORY	{1} shared a story
        CHANNEL_MESSAGE_TEXT	{1}: {2}
        CHANNEL_MESSAGE_VIDEO	{1} posted a video
        CHANNEL_MESSAGE_VIDEOS	{1} posted {2} videos
        CHAT_ADD_MEMBER	{1} invited {3} to the group {2}
        CHAT_ADD_YOU	{1} invited you to the group {2}
        CHAT_CREATED	{1} invited you to the group {2}
        CHAT_DELETE_MEMBER	{1} removed {3} from the group {2}
        CHAT_DELETE_YOU	{1} removed you from the group {2}
        CHAT_JOINED	{1} joined the group {2}
        CHAT_LEFT	{1} left the group {2}
        CHAT_MESSAGES	{1} sent an album to the group {2}
        CHAT_MESSAGE_AUDIO	{1} sent a voice message to the group {2}
        CHAT_MESSAGE_CONTACT	{1} shared a contact {3} in the group {2}
        CHAT_MESSAGE_DOC	{1} sent a file to the group {2}
        CHAT_MESSAGE_DOCS	{1} sent {3} files to the group {2}
        CHAT_MESSAGE_FWDS	{1} forwarded {3} messages to the group {2}
        CHAT_MESSAGE_GAME	{1} invited the group {2} to play {3}
        CHAT_MESSAGE_GAME_SCORE	{1} scored {4} in game {3} in the group {2}
        CHAT_MESSAGE_GEO	{1} sent a location to the group {2}
        CHAT_MESSAGE_GEOLIVE	{1} shared a live location with the group {2}
        CHAT_MESSAGE_GIF	{1} sent a GIF to the group {2}
        CHAT_MESSAGE_GIVEAWAY	{1} sent a giveaway of {3}x {4}m Premium subscriptions to the group {2}
        CHAT_MESSAGE_INVOICE	{1} sent an invoice to the group {2} for {3}
        CHAT_MESSAGE_NOTEXT	{1} sent a message to the group {2}
        CHAT_MESSAGE_PHOTO	{1} sent a photo to the group {2}
        CHAT_MESSAGE_PHOTOS	{1} sent {3} photos to the group {2}
        CHAT_MESSAGE_PLAYLIST	{1} sent {3} music files to the group {2}
        CHAT_MESSAGE_POLL	{1} sent a poll {3} to the group {2}
        CHAT_MESSAGE_QUIZ	{1} sent a quiz {3} to the group {2}
        CHAT_MESSAGE_ROUND	{1} sent a video message to the group {2}
        CHAT_MESSAGE_STICKER	{1} sent a {3} sticker to the group {2}
        CHAT_MESSAGE_STORY	{1} shared a story to the group
        CHAT_MESSAGE_TEXT	{1} @ {2}: {3}
        CHAT_MESSAGE_VIDEO	{1} sent a video to the group {2}
        CHAT_MESSAGE_VIDEOS	{1} sent {3} videos to the group {2}
        CHAT_PHOTO_EDITED	{1} changed the group photo for {2}
        CHAT_REACT_AUDIO	{1}: {3} to your voice message in {2}
        CHAT_REACT_CONTACT	{1}: {3} to your contact {4} in {2}
        CHAT_REACT_DOC	{1}: {3} to your file in {2}
        CHAT_REACT_GAME	{1}: {3} to your game in {2}
        CHAT_REACT_GEO	{1}: {3} to your map in {2}
        CHAT_REACT_GEOLIVE	{1}: {3} to your live location in {2}
        CHAT_REACT_GIF	{1}: {3} to your GIF in {2}
        CHAT_REACT_GIVEAWAY	{1} reacted {3} in group {2} to your giveaway
        CHAT_REACT_INVOICE	{1}: {3} to your invoice in {2}
        CHAT_REACT_NOTEXT	{1}: {3} to your message in {2}
        CHAT_REACT_PHOTO	{1}: {3} to your photo in {2}
        CHAT_REACT_POLL	{1}: {3} to your poll {4} in {2}
        CHAT_REACT_QUIZ	{1}: {3} to your quiz {4} in {2}
        CHAT_REACT_ROUND	{1}: {3} to your video message in {2}
        CHAT_REACT_STICKER	{1}: {3} to your {4} sticker in {2}
        CHAT_REACT_TEXT	{1}: {3} in {2} to your "{4}"
        CHAT_REACT_VIDEO	{1}: {3} to your video in {2}
        CHAT_REQ_JOINED	{2}|{1} was accepted into the group
        CHAT_RETURNED	{1} returned to the group {2}
        CHAT_TITLE_EDITED	{1} renamed the group {2}
        CHAT_VOICECHAT_END	{1} ended a voice chat in the group {2}
        CHAT_VOICECHAT_INVITE	{1} invited {3} to a voice chat in the group {2}
        CHAT_VOICECHAT_INVITE_YOU	{1} invited you to a voice chat in the group {2}
        CHAT_VOICECHAT_START	{1} started a voice chat in the group {2}
        CONTACT_JOINED	{1} joined Telegram\u{21}
        ENCRYPTED_MESSAGE	You have a new message
        ENCRYPTION_ACCEPT	You have a new message
        ENCRYPTION_REQUEST	You have a new message
        LOCKED_MESSAGE	You have a new message
        MESSAGES	{1} sent you an album
        MESSAGE_AUDIO	{1} sent you a voice message
        MESSAGE_CONTACT	{1} shared a contact {2} with you
        MESSAGE_DOC	{1} sent you a file
        MESSAGE_DOCS	{1} sent you {2} files
        MESSAGE_FWDS	{1} forwarded you {2} messages
        MESSAGE_GAME	{1} invited you to play {2}
        MESSAGE_GAME_SCORE	{1} scored {3} in game {2}
        MESSAGE_GEO	{1} sent you a location
        MESSAGE_GEOLIVE	{1} sent you a live location
        MESSAGE_GIF	{1} sent you a GIF
        MESSAGE_GIFTCODE	{1} sent you a Gift Code for {2} of Telegram Premium
        MESSAGE_GIVEAWAY	{1} sent you a giveaway of {2}x {3}m Premium subscriptions
        MESSAGE_INVOICE	{1} sent you an invoice for {2}
        MESSAGE_NOTEXT	{1} sent you a message
        MESSAGE_PHOTO	{1} sent you a photo
        MESSAGE_PHOTOS	{1} sent you {2} photos
        MESSAGE_PHOTO_SECRET	{1} sent you a self-destructing photo
        MESSAGE_PLAYLIST	{1} sent you {2} music files
        MESSAGE_POLL	{1} sent you a poll {2}
        MESSAGE_QUIZ	{1} sent you a quiz {2}
        MESSAGE_RECURRING_PAY	You were charged {2} by {1}
        MESSAGE_ROUND	{1} sent you a video message
        MESSAGE_SAME_WALLPAPER	{1} set a same wallpaper for this chat
        MESSAGE_SCREENSHOT	{1} took a screenshot
        MESSAGE_STICKER	{1} sent you a {2} sticker
        MESSAGE_STORY	{1} shared a story with you
        MESSAGE_STORY_MENTION	{1} mentioned you in a story
        MESSAGE_TEXT	{1}: {2}
        MESSAGE_VIDEO	{1} sent you a video
        MESSAGE_VIDEOS	{1} sent you {2} videos
        MESSAGE_VIDEO_SECRET	{1} sent you a self-destructing video
        MESSAGE_WALLPAPER	{1} set a new wallpaper for this chat
        PHONE_CALL_MISSED	You missed a call from {1}
        PHONE_CALL_REQUEST	{1} is calling you\u{21}
        PINNED_AUDIO	{1} pinned a voice message
        PINNED_AUDIO	{1} pinned a voice message in the group {2}
        PINNED_CONTACT	{1} pinned a contact {2}
        PINNED_CONTACT	{1} pinned a contact {3} in the group {2}
        PINNED_DOC	{1} pinned a file
        PINNED_DOC	{1} pinned a file in the group {2}
        PINNED_GAME	{1} pinned a game
        PINNED_GAME	{1} pinned a game in the group {2}
        PINNED_GAME_SCORE	{1} pinned a game score
        PINNED_GAME_SCORE	{1} pinned a game score in the group {2}
        PINNED_GEO	{1} pinned a map
        PINNED_GEO	{1} pinned a map in the group {2}
        PINNED_GEOLIVE	{1} pinned a live location
        PINNED_GEOLIVE	{1} pinned a live location in the group {2}
        PINNED_GIF	{1} pinned a GIF
        PINNED_GIF	{1} pinned a GIF in the group {2}
        PINNED_GIVEAWAY	{1} pinned a giveaway
        PINNED_GIVEAWAY	{1} pinned a giveaway in the group {2}
        PINNED_INVOICE	{1} pinned an invoice
        PINNED_INVOICE	{1} pinned an invoice in the group {2}
        PINNED_NOTEXT	{1} pinned a message
        PINNED_NOTEXT	{1} pinned a message in the group {2}
        PINNED_PHOTO	{1} pinned a photo
        PINNED_PHOTO	{1} pinned a photo in the group {2}
        PINNED_POLL	{1} pinned a poll {2}
        PINNED_POLL	{1} pinned a poll {3} in the group {2}
        PINNED_QUIZ	{1} pinned a quiz {2}
        PINNED_QUIZ	{1} pinned a quiz {3} in the group {2}
        PINNED_ROUND	{1} pinned a video message
        PINNED_ROUND	{1} pinned a video message in the group {2}
        PINNED_STICKER	{1} pinned a {2} sticker
        PINNED_STICKER	{1} pinned a {3} sticker in the group {2}
        PINNED_TEXT	{1} pinned "{2}"
        PINNED_TEXT	{1} pinned "{3}" in the group {2}
        PINNED_VIDEO	{1} pinned a video
        PINNED_VIDEO	{1} pinned a video in the group {2}
        REACT_AUDIO	{1}: {2} to your voice message
        REACT_CONTACT	{1}: {2} to your contact {3}
        REACT_DOC	{1}: {2} to your file
        REACT_GAME	{1}: {2} to your game
        REACT_GEO	{1}: {2} to your map
        REACT_GEOLIVE	{1}: {2} to your live location
        REACT_GIF	{1}: {2} to your GIF
        REACT_GIVEAWAY	{1} reacted {2} to your giveaway
        REACT_INVOICE	{1}: {2} to your invoice
        REACT_NOTEXT	{1}: {2} to your message
        REACT_PHOTO	{1}: {2} to your photo
        REACT_POLL	{1}: {2} to your poll {3}
        REACT_QUIZ	{1}: {2} to your quiz {3}
        REACT_ROUND	{1}: {2} to your video message
        REACT_STICKER	{1}: {2} to your {3} sticker
        REACT_TEXT	{1}: {2} to your "{3}"
        REACT_VIDEO	{1}: {2} to your video
        STORY_HIDDEN_AUTHOR	A new story was posted
        STORY_NOTEXT	{1} posted a story
        """
}
