/**
 * The contract of an API's handler: the request under way, its connection, what the server stands on, and Kafka's
 * words for failures. Handlers and connections meet here and do not know each other.
 */
@NullMarked
package io.sluice.kafka.api;

import org.jspecify.annotations.NullMarked;
