/**
 * Schemas of topics, kept as records of the metadata store.
 */
@NullMarked
package io.sluice.pulsar.schema;

import org.jspecify.annotations.NullMarked;
