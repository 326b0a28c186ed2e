/**
 * Entries: opaque bytes of one writer behind a common 61-byte header with a format tag. May use Netty buffers only.
 */
@NullMarked
package io.sluice.broker.entry;

import org.jspecify.annotations.NullMarked;
