/** The header of a request that names the subject of its reply; a one-way message has none. */
export const replyHeader = 'Reply-To';
