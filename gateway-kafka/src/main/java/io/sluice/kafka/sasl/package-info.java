/** Authentication of Kafka's clients by SASL, and the credentials that they change: Kafka's own mechanisms over our users and tokens. */
@NullMarked
package io.sluice.kafka.sasl;

import org.jspecify.annotations.NullMarked;
