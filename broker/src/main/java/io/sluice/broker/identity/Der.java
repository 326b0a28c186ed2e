package io.sluice.broker.identity;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;

/** Values in ASN.1's distinguished encoding, as far as certificates have them: tag, length, content. */
final class Der {
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int INTEGER = 0x02;
    private static final int OBJECT_IDENTIFIER = 0x06;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int BOOLEAN = 0x01;
    private static final int UTF8_STRING = 0x0c;
    private static final int GENERALIZED_TIME = 0x18;
    private static final int UTC_TIME = 0x17;
    private static final int FIRST_GENERALIZED_YEAR = 2050;

    private Der() {}

    static byte[] tagged(int tag, byte[]... content) {
        byte[] inner = joined(content);
        var out = new ByteArrayOutputStream();
        out.write(tag);
        int length = inner.length;
        if (length < 0x80) {
            out.write(length);
        } else {
            byte[] bytes = BigInteger.valueOf(length).toByteArray();
            int skip = bytes[0] == 0 ? 1 : 0;
            out.write(0x80 | (bytes.length - skip));
            out.write(bytes, skip, bytes.length - skip);
        }
        out.writeBytes(inner);
        return out.toByteArray();
    }

    private static byte[] joined(byte[]... parts) {
        var out = new ByteArrayOutputStream();
        Arrays.stream(parts).forEach(out::writeBytes);
        return out.toByteArray();
    }

    static byte[] sequence(byte[]... content) {
        return tagged(SEQUENCE, content);
    }

    static byte[] set(byte[]... content) {
        return tagged(SET, content);
    }

    static byte[] integer(BigInteger value) {
        return tagged(INTEGER, value.toByteArray());
    }

    static byte[] yes() {
        return tagged(BOOLEAN, new byte[] {(byte) 0xff});
    }

    static byte[] text(String value) {
        return tagged(UTF8_STRING, value.getBytes(UTF_8));
    }

    static byte[] octets(byte[] value) {
        return tagged(OCTET_STRING, value);
    }

    /** @param unused bits at the end that are not part of it */
    static byte[] bits(int unused, byte[] value) {
        return tagged(BIT_STRING, new byte[] {(byte) unused}, value);
    }

    /** @param dotted for example {@code 2.5.4.3} */
    static byte[] identifier(String dotted) {
        long[] arcs =
                Arrays.stream(dotted.split("\\.")).mapToLong(Long::parseLong).toArray();
        var out = new ByteArrayOutputStream();
        out.write((int) (arcs[0] * 40 + arcs[1]));
        for (int i = 2; i < arcs.length; i++) {
            int digits = Math.max(1, (64 - Long.numberOfLeadingZeros(arcs[i]) + 6) / 7);
            for (int digit = digits - 1; digit >= 0; digit--) {
                out.write((int) (arcs[i] >> (7 * digit) & 0x7f) | (digit == 0 ? 0 : 0x80));
            }
        }
        return tagged(OBJECT_IDENTIFIER, out.toByteArray());
    }

    static byte[] time(Instant time) {
        boolean utc = time.atZone(ZoneOffset.UTC).getYear() < FIRST_GENERALIZED_YEAR;
        String form = utc ? "yyMMddHHmmss'Z'" : "yyyyMMddHHmmss'Z'";
        String text = DateTimeFormatter.ofPattern(form).withZone(ZoneOffset.UTC).format(time);
        return tagged(utc ? UTC_TIME : GENERALIZED_TIME, text.getBytes(US_ASCII));
    }
}
