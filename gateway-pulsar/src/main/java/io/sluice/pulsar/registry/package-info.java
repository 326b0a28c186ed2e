/**
 * Schemas by subject, version and id, as stock serializers of Kafka clients ask for them; the subject of a topic's values is the topic's own
 * schema.
 */
@NullMarked
package io.sluice.pulsar.registry;

import org.jspecify.annotations.NullMarked;
