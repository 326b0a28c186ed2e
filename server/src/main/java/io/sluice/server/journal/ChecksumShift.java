package io.sluice.server.journal;

/**
 * What bytes that follow do to a CRC32C. With it the checksum of any stretch comes from the checksums up to its two ends:
 * {@code crc(AB) = shift(crc(A), length of B) ^ crc(B)}.
 *
 * <p>A checksum is a polynomial modulo {@link #POLYNOMIAL}, its highest bit the lowest power. To append n bytes multiplies it by x to
 * the power of 8n, which is a product of three factors from {@link #POWERS}, one for each byte of n.
 */
final class ChecksumShift {
    /** Bytes that may follow, exclusive. */
    static final int MOST = 1 << 24;

    /** CRC32C's polynomial, bits reversed. */
    private static final int POLYNOMIAL = 0x82F63B78;

    private static final int ONE = 1 << 31;
    private static final int X_TO_THE_8 = 1 << 23;
    private static final int[][] POWERS = powers();

    private ChecksumShift() {}

    private static int[][] powers() {
        int[][] powers = new int[3][256];
        int step = X_TO_THE_8;
        for (int[] some : powers) {
            some[0] = ONE;
            for (int n = 1; n < some.length; n++) {
                some[n] = product(some[n - 1], step);
            }
            step = product(some[255], step);
        }
        return powers;
    }

    /** @param bytes that follow, less than {@link #MOST} */
    static int shift(int checksum, int bytes) {
        int few = product(POWERS[0][bytes & 0xff], checksum);
        return bytes < 256 ? few : product(POWERS[2][bytes >>> 16], product(POWERS[1][bytes >>> 8 & 0xff], few));
    }

    private static int product(int first, int second) {
        int product = 0;
        for (int left = first; left != 0; left <<= 1) {
            product ^= second & left >> 31;
            second = second >>> 1 ^ POLYNOMIAL & -(second & 1);
        }
        return product;
    }
}
