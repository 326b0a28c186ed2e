package io.sluice.kafka.api;

import java.util.function.IntSupplier;

/**
 * This server as clients see it.
 *
 * @param id Kafka's broker id, also the controller's
 * @param clusterId never changes
 * @param host advertised to clients of the listener
 * @param port advertised; known once the listener is bound
 */
public record ServerNode(int id, String clusterId, String host, IntSupplier port) {}
