/**
 * Protobuf schemas as text and as descriptors: read, linked, printed and compared. Pure: no file is read but those that come with the
 * libraries, and nothing is fetched.
 */
@NullMarked
package io.sluice.pulsar.schema.protobuf;

import org.jspecify.annotations.NullMarked;
