/**
 * JSON Schema: read, resolved and compared. Pure: nothing is fetched, whatever a schema refers to.
 */
@NullMarked
package io.sluice.pulsar.registry.jsonschema;

import org.jspecify.annotations.NullMarked;
