package io.sluice.broker.container;

import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Kinds of steps that this node carries out for others, by number. Filled before others ask. */
public final class ContainerSteps {
    private final Map<Byte, Function<ByteBuf, ? extends ContainerStep<?>>> readers = new HashMap<>();

    /** With those of this package. */
    public ContainerSteps() {
        add(CreateSegments.CODE, CreateSegments::read);
        add(DeleteSegments.CODE, DeleteSegments::read);
        add(TruncateSegment.CODE, TruncateSegment::read);
        add(ReadSegment.CODE, ReadSegment::read);
        add(MissingSegments.CODE, MissingSegments::read);
        add(StoredLength.CODE, StoredLength::read);
    }

    /** @param reader of what {@link ContainerStep#write} has written */
    public ContainerSteps add(byte code, Function<ByteBuf, ? extends ContainerStep<?>> reader) {
        if (readers.putIfAbsent(code, reader) != null) {
            throw new IllegalStateException("two steps have the number " + code);
        }
        return this;
    }

    /**
     * Null if the kind is not known, as between servers of different versions.
     *
     * @throws RuntimeException the bytes are no such step
     */
    @Nullable
    ContainerStep<?> read(byte code, ByteBuf in) {
        Function<ByteBuf, ? extends ContainerStep<?>> reader = readers.get(code);
        return reader == null ? null : reader.apply(in);
    }
}
