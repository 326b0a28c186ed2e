/**
 * Entries of one protocol as entries of the other, each by itself: a Pulsar message or batch as a Kafka record batch, and back. Same offsets,
 * and nothing that a reader of the first protocol could see is lost (docs/two-protocols.md, docs/adr/0084). Takes memory and processor time
 * for what is decompressed, so not for a loop.
 */
@NullMarked
package io.sluice.conversion;

import org.jspecify.annotations.NullMarked;
