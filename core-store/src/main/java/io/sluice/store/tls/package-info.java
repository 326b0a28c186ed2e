/** Trust in the other end of TLS, for listeners, nodes and bookies: authorities of a file, and lists of certificates that they have revoked. */
@NullMarked
package io.sluice.store.tls;

import org.jspecify.annotations.NullMarked;
