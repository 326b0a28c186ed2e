package io.sluice.bookie.journal;

/** Tells from a wrong CRC32C whether one bit of the message, or of the checksum, is the other way round. */
final class FlippedBit {
    /** CRC32C's polynomial, bits reversed. */
    private static final int POLYNOMIAL = 0x82F63B78;

    private static final int[] TABLE = table();

    private FlippedBit() {}

    private static int[] table() {
        int[] table = new int[256];
        for (int value = 0; value < table.length; value++) {
            int crc = value;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ POLYNOMIAL;
            }
            table[value] = crc;
        }
        return table;
    }

    /**
     * Whether a single flipped bit explains the difference. Its effect on the checksum depends only on how many bits follow it.
     *
     * @param difference of the computed checksum and the stored one, bit by bit
     * @param messageBytes what the checksum is computed over
     */
    static boolean explains(int difference, int messageBytes) {
        if (Integer.bitCount(difference) == 1) {
            return true;
        }
        for (int bit = 0; bit < 8; bit++) {
            int effect = TABLE[1 << bit];
            for (int behind = 0; behind < messageBytes; behind++) {
                if (effect == difference) {
                    return true;
                }
                effect = effect >>> 8 ^ TABLE[effect & 0xff];
            }
        }
        return false;
    }
}
