/** Errors of schemas that the registry, the commands and the parsers share. */
@NullMarked
package io.sluice.pulsar.schema.error;

import org.jspecify.annotations.NullMarked;
