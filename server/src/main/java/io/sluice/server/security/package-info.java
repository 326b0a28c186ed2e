/** Commands for users, tokens and the files of a first server with TLS and logins. Users are changed over Kafka's own requests. */
@NullMarked
package io.sluice.server.security;

import org.jspecify.annotations.NullMarked;
