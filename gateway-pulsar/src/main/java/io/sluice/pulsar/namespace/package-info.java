/**
 * Tenants, namespaces, and what is set for them and for their topics. Knows no connection and no loop.
 */
@NullMarked
package io.sluice.pulsar.namespace;

import org.jspecify.annotations.NullMarked;
