/**
 * Identity of clients: users and their credentials, tokens, certificates, the server's own certificate. Both gateways and HTTP ask
 * {@link io.sluice.broker.identity.Identities}; what a client then may do is {@code broker.access}'s.
 */
@NullMarked
package io.sluice.broker.identity;

import org.jspecify.annotations.NullMarked;
