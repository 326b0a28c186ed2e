package io.sluice.store.wal.bookkeeper;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Bytes of a {@link LedgerChain}, big endian:
 *
 * <pre>
 *   version u8 (1), term i64, owner (u16 length, modified UTF-8), nextNumber i64,
 *   count u32, count x (number i64, ledgerId i64),
 *   count u32, count x doomed ledgerId i64
 * </pre>
 */
final class LedgerChainCodec {
    private static final int VERSION = 1;

    private LedgerChainCodec() {}

    static byte[] encode(LedgerChain chain) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeLong(chain.term());
            out.writeUTF(chain.owner());
            out.writeLong(chain.nextNumber());
            out.writeInt(chain.ledgers().size());
            for (LedgerChain.Link link : chain.ledgers()) {
                out.writeLong(link.number());
                out.writeLong(link.ledgerId());
            }
            out.writeInt(chain.doomed().size());
            for (long ledgerId : chain.doomed()) {
                out.writeLong(ledgerId);
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    /** @throws IOException the bytes are not a chain, or one of a newer version */
    static LedgerChain decode(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        int version = in.readUnsignedByte();
        if (version != VERSION) {
            throw new IOException("ledger chain has version " + version + ", this release reads " + VERSION);
        }
        long term = in.readLong();
        String owner = in.readUTF();
        long nextNumber = in.readLong();
        int count = count(in, Long.BYTES * 2);
        List<LedgerChain.Link> ledgers = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ledgers.add(new LedgerChain.Link(in.readLong(), in.readLong()));
        }
        int doomedCount = count(in, Long.BYTES);
        List<Long> doomed = new ArrayList<>(doomedCount);
        for (int i = 0; i < doomedCount; i++) {
            doomed.add(in.readLong());
        }
        return new LedgerChain(term, owner, nextNumber, ledgers, doomed);
    }

    /** A count that the bytes left can hold, so that torn bytes cost an error and no memory. */
    private static int count(DataInputStream in, int bytesEach) throws IOException {
        int count = in.readInt();
        if (count < 0 || (long) count * bytesEach > in.available()) {
            throw new IOException("ledger chain is torn: it announces " + count + " ledgers");
        }
        return count;
    }
}
