/** Other clusters, reached through Pulsar's own client: the only room of the server that knows it. */
@NullMarked
package io.sluice.pulsar.replication.client;

import org.jspecify.annotations.NullMarked;
