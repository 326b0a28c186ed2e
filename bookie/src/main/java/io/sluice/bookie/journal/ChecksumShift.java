package io.sluice.bookie.journal;

/**
 * CRC32C as a register that begins at 0 and takes one byte after the other, and what bytes that follow do to it. With that, the
 * checksum of any stretch comes from the registers at its two ends: a register {@code r} before the stretch becomes
 * {@code shift(r ^ registerAtBegin, length) ^ registerAtEnd}.
 *
 * <p>A register is a polynomial modulo {@link #POLYNOMIAL}, its highest bit the lowest power. To append n bytes multiplies it by x to
 * the power of 8n: for the low bits of n a table has the products, for the others it has the powers.
 */
final class ChecksumShift {
    /** Bytes that may follow, exclusive. */
    static final int MOST = CheckedFile.MOST_RECORD + 64;

    /** CRC32C's polynomial, bits reversed. */
    private static final int POLYNOMIAL = 0x82F63B78;

    private static final int ONE = 1 << 31;

    private static final int FEW_BITS = 6;
    private static final int FEW = 1 << FEW_BITS;

    /** Every fourth bit: a product of such integers has no carry that reaches the next of those bits. */
    private static final long EVERY_FOURTH = 0x1111111111111111L;

    /** By the low word's byte and its value: the low half of a product modulo the polynomial. */
    private static final int[][] REDUCED = reduced();

    private ChecksumShift() {}

    /** A megabyte that is needed only where something looks like an entry. */
    private static final class Tables {
        /** By the number of bytes that follow, the register's byte and its value: the register then. */
        static final int[][][] SHIFTED = shifted();

        /** x to the power of 8 x 64, 8 x 128, ... */
        static final int[] POWERS = powers();

        private static int[][][] shifted() {
            int[][][] shifted = new int[FEW + 1][Integer.BYTES][1 << Byte.SIZE];
            for (int few = 0; few <= FEW; few++) {
                for (int i = 0; i < Integer.BYTES; i++) {
                    for (int value = 0; value < 1 << Byte.SIZE; value++) {
                        shifted[few][i][value] =
                                few == 0 ? value << i * Byte.SIZE : next(shifted[few - 1][i][value], (byte) 0);
                    }
                }
            }
            return shifted;
        }

        private static int[] powers() {
            int[] powers = new int[Math.ceilDiv(MOST, FEW)];
            powers[0] = ONE;
            for (int n = 1; n < powers.length; n++) {
                powers[n] = shiftByFew(powers[n - 1], FEW);
            }
            return powers;
        }

        static int shiftByFew(int register, int bytes) {
            int[][] of = SHIFTED[bytes];
            return of[0][register & 0xff]
                    ^ of[1][register >>> 8 & 0xff]
                    ^ of[2][register >>> 16 & 0xff]
                    ^ of[3][register >>> 24];
        }
    }

    private static int[][] reduced() {
        int[][] reduced = new int[Integer.BYTES][1 << Byte.SIZE];
        int power = ONE;
        for (int n = 0; n < Integer.SIZE; n++) {
            power = timesX(power);
        }
        // x to the power of 32 is in the topmost bit of a product's low half
        for (int bit = Integer.SIZE - 1; bit >= 0; bit--) {
            int[] ofByte = reduced[bit / Byte.SIZE];
            int mask = 1 << bit % Byte.SIZE;
            for (int value = 0; value < ofByte.length; value++) {
                ofByte[value] ^= (value & mask) != 0 ? power : 0;
            }
            power = timesX(power);
        }
        return reduced;
    }

    private static int timesX(int polynomial) {
        return polynomial >>> 1 ^ POLYNOMIAL & -(polynomial & 1);
    }

    /** The register after one more byte. */
    static int next(int register, byte more) {
        return register >>> Byte.SIZE ^ REDUCED[3][(register ^ more) & 0xff];
    }

    /** @param bytes that follow, less than {@link #MOST} */
    static int shift(int register, int bytes) {
        int few = Tables.shiftByFew(register, bytes % FEW);
        return bytes < FEW ? few : product(Tables.POWERS[bytes / FEW], few);
    }

    /** Without carries: of every fourth bit of one by every fourth bit of the other, sixteen times. Then modulo the polynomial. */
    private static int product(int first, int second) {
        long a = Integer.toUnsignedLong(first);
        long b = Integer.toUnsignedLong(second);
        long a0 = a & EVERY_FOURTH;
        long a1 = a & EVERY_FOURTH << 1;
        long a2 = a & EVERY_FOURTH << 2;
        long a3 = a & EVERY_FOURTH << 3;
        long b0 = b & EVERY_FOURTH;
        long b1 = b & EVERY_FOURTH << 1;
        long b2 = b & EVERY_FOURTH << 2;
        long b3 = b & EVERY_FOURTH << 3;
        long product = (a0 * b0 ^ a1 * b3 ^ a2 * b2 ^ a3 * b1) & EVERY_FOURTH
                | (a0 * b1 ^ a1 * b0 ^ a2 * b3 ^ a3 * b2) & EVERY_FOURTH << 1
                | (a0 * b2 ^ a1 * b1 ^ a2 * b0 ^ a3 * b3) & EVERY_FOURTH << 2
                | (a0 * b3 ^ a1 * b2 ^ a2 * b1 ^ a3 * b0) & EVERY_FOURTH << 3;
        int high = (int) (product >>> 31);
        int low = (int) (product << 1);
        return high
                ^ REDUCED[0][low & 0xff]
                ^ REDUCED[1][low >>> 8 & 0xff]
                ^ REDUCED[2][low >>> 16 & 0xff]
                ^ REDUCED[3][low >>> 24];
    }
}
