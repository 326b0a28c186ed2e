/**
 * The Kafka protocol in front of the shared store: the gateway, its settings, the table of APIs, the mapping of errors.
 * <p>May use: broker, the store's public door ({@code store.segment}), Netty, kafka-clients.
 */
@NullMarked
package io.sluice.kafka;

import org.jspecify.annotations.NullMarked;
