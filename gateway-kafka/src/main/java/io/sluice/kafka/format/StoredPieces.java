package io.sluice.kafka.format;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Records that are not compressed, where the network put them: in one piece, or in several. */
final class StoredPieces implements RecordWalk.Pieces {
    private final ByteBuffer[] places;
    private int given;

    StoredPieces(ByteBuf in, int from, int length) {
        places = in.nioBuffers(from, length);
    }

    @Override
    public @Nullable ByteBuffer next() {
        return given < places.length ? places[given++] : null;
    }
}
