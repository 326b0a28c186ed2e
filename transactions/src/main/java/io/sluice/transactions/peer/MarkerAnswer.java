package io.sluice.transactions.peer;

import io.sluice.broker.entry.Packed;
import io.sluice.transactions.Markers.Fate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answer to a {@link MarkerRequest}. Version 0.
 *
 * @param term of the container
 * @param fates by item; null if nothing was done, for the request was of another term, or came after a later one
 */
record MarkerAnswer(long term, @Nullable List<Fate> fates) {
    private static final byte WRITTEN = 0;
    private static final byte NOT_NEEDED = 1;
    private static final byte UNKNOWN = 2;

    byte[] encode() {
        return Fields.bytes(out -> {
            Packed.writeSigned(out, term);
            out.writeBoolean(fates != null);
            if (fates != null) {
                Packed.writeUnsigned(out, fates.size());
                fates.forEach(fate -> out.writeByte(
                        switch (fate) {
                            case WRITTEN -> WRITTEN;
                            case NOT_NEEDED -> NOT_NEEDED;
                            case UNKNOWN -> UNKNOWN;
                        }));
            }
        });
    }

    /** @throws IllegalArgumentException it is no such body */
    static MarkerAnswer decode(byte[] body) {
        return Fields.read(body, in -> {
            long term = Packed.readSigned(in);
            if (!in.readBoolean()) {
                return new MarkerAnswer(term, null);
            }
            List<Fate> fates = new ArrayList<>();
            for (int n = Fields.readCount(in); n > 0; n--) {
                fates.add(
                        switch (in.readByte()) {
                            case WRITTEN -> Fate.WRITTEN;
                            case NOT_NEEDED -> Fate.NOT_NEEDED;
                            default -> Fate.UNKNOWN;
                        });
            }
            return new MarkerAnswer(term, fates);
        });
    }
}
