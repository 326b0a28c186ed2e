package io.sluice.testing.fuzz;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * One connection of a client that writes whatever it is given and reads answers, {@code length i32 | bytes}, at the same time,
 * so that neither side waits for the other to read. Not thread-safe.
 */
public final class WireClient implements AutoCloseable {
    private static final int LONGEST_ANSWER = 128 << 20;

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private ByteBuffer in = ByteBuffer.allocate(16 << 10);
    private boolean closed;

    public WireClient(int port) throws IOException {
        channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_LINGER, 0); // no port is kept waiting
        channel.configureBlocking(false);
        selector = Selector.open();
        key = channel.register(selector, SelectionKey.OP_READ);
    }

    /** Takes the answers. */
    @FunctionalInterface
    public interface Answers {
        /** @return true if nothing more is waited for */
        boolean take(ByteBuffer answer);
    }

    /** How an exchange ended. */
    public enum End {
        ENOUGH,
        CLOSED,
        QUIET
    }

    /**
     * Sends, and hands over what is answered, until there was enough, the server closed the connection, or nothing came for a
     * while.
     */
    public End exchange(byte[] bytes, Answers answers, long quietMillis) throws IOException {
        ByteBuffer out = ByteBuffer.wrap(bytes);
        long quietSince = System.nanoTime();
        try {
            if (takeAnswers(answers)) { // read before, together with the last that was waited for
                return End.ENOUGH;
            }
            while (true) {
                boolean moved = out.hasRemaining() && channel.write(out) > 0;
                int read = channel.read(in);
                moved |= read > 0;
                if (read > 0 && takeAnswers(answers)) {
                    return End.ENOUGH;
                }
                if (read < 0) {
                    closed = true;
                    return End.CLOSED;
                }
                long now = System.nanoTime();
                if (moved) {
                    quietSince = now;
                } else if (now - quietSince > TimeUnit.MILLISECONDS.toNanos(quietMillis)) {
                    return End.QUIET;
                } else {
                    key.interestOps(
                            out.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
                    selector.select(Math.clamp(quietMillis, 1, 20));
                    selector.selectedKeys().clear();
                }
            }
        } catch (EOFException e) {
            throw e;
        } catch (IOException e) {
            closed = true; // reset
            return End.CLOSED;
        }
    }

    private boolean takeAnswers(Answers answers) throws IOException {
        in.flip();
        boolean enough = false;
        while (!enough && in.remaining() >= 4) {
            int length = in.getInt(in.position());
            if (length < 0 || length > LONGEST_ANSWER) {
                throw new EOFException("an answer of " + length + " bytes");
            }
            if (in.remaining() < 4 + length) {
                break;
            }
            ByteBuffer answer = in.slice(in.position() + 4, length);
            in.position(in.position() + 4 + length);
            enough = answers.take(answer);
        }
        int wanted = in.remaining() >= 4 ? 4 + in.getInt(in.position()) : 0;
        if (wanted > in.capacity()) {
            in = ByteBuffer.allocate(wanted + (16 << 10)).put(in);
        } else {
            in.compact();
        }
        return enough;
    }

    public boolean isClosed() {
        return closed;
    }

    /** Whether an answer holds text of a Java stack trace. */
    public static boolean showsStackTrace(ByteBuffer answer) {
        for (int at = answer.position(); at + 6 <= answer.limit(); at++) {
            byte b = answer.get(at);
            if (b == '.' && isText(answer, at, ".java:") || b == '\t' && isText(answer, at, "\tat ")) {
                return true;
            }
        }
        return false;
    }

    private static boolean isText(ByteBuffer in, int at, String text) {
        for (int i = 0; i < text.length(); i++) {
            if (in.get(at + i) != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        closed = true;
        selector.close();
        channel.close();
    }
}
