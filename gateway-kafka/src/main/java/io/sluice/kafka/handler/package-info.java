/**
 * One class per API key. Its head lists the versions it speaks and where it differs from Apache Kafka on purpose.
 * <p>Handlers are called on a Netty loop and never wait; they answer from whatever thread finished the work.
 */
@NullMarked
package io.sluice.kafka.handler;

import org.jspecify.annotations.NullMarked;
