/**
 * Schemas of the registry by their type: each is read, told apart and compared by the rules of its own language, and has a form in which it is
 * a topic's schema.
 */
@NullMarked
package io.sluice.pulsar.registry.format;

import org.jspecify.annotations.NullMarked;
