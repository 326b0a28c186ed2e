package io.sluice.kafka.fuzz;

import io.sluice.testing.fuzz.WireClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Sends a stream of requests and behind it one that is whole, and sees that the server answers all in their order, or closes the
 * connection. Knows what the server sees, since it cuts the stream into frames as the server has to.
 */
final class Exchange {
    private static final long QUIET_MILLIS = 150;
    private static final int MAX_QUIET = 200;
    private static final int MAX_FRAME = 100 << 20;
    private static final int MAX_FILLED = 1 << 20;
    private static final int PROBE = 0x5eed;

    private final WireClient client;
    private final Known known;
    private final ArrayDeque<KafkaSequence.Sent> whole;
    private final ArrayDeque<Frame> unanswered = new ArrayDeque<>();
    private boolean probed;
    /** The stream ends within a frame too large to be filled up: all before it is answered, and the connection waits. */
    private boolean endsWithinFrame;

    /** @param sent in order, to know the answers of those that are not damaged */
    Exchange(WireClient client, Known known, List<KafkaSequence.Sent> sent) {
        this.client = client;
        this.known = known;
        this.whole = new ArrayDeque<>(sent);
    }

    /** As the server sees it; {@code sent} if it is as it was made. */
    private record Frame(int api, int correlation, KafkaSequence.@Nullable Sent sent) {
        @Override
        public String toString() {
            return (sent == null ? "API " + api : sent.api() + " v" + sent.version()) + " #" + correlation;
        }

        boolean mayBeSilent() {
            return api == ApiKeys.PRODUCE.id;
        }

        /** Waits, of its own accord or for others, as long as it was asked to; a fetch that is whole asks for little. */
        boolean mayWait() {
            boolean fetches = api == ApiKeys.FETCH.id && (sent == null || !sent.whole());
            return fetches || api == ApiKeys.JOIN_GROUP.id || api == ApiKeys.SYNC_GROUP.id;
        }
    }

    /**
     * @param harmless nothing was damaged: the server may not close
     * @param pieces in which the stream is sent
     */
    void run(byte[] stream, boolean harmless, int pieces) throws IOException {
        byte[] rest = withProbe(stream);
        for (int left = pieces; left > 1 && !client.isClosed(); left--) {
            int cut = rest.length / left;
            client.exchange(Arrays.copyOf(rest, cut), this::answer, 1);
            rest = Arrays.copyOfRange(rest, cut, rest.length);
        }
        for (int quiet = 0; !client.isClosed() && !probed; quiet++) {
            WireClient.End end = client.exchange(rest, this::answer, QUIET_MILLIS);
            rest = new byte[0];
            if (end == WireClient.End.QUIET && (firstMayWait() || endsWithinFrame && allAnswered())) {
                client.close();
                return;
            }
            if (quiet == MAX_QUIET) {
                throw new AssertionError("stuck: no answer to " + unanswered + " in "
                        + HexFormat.of().formatHex(stream));
            }
        }
        if (harmless && !probed && unanswered.stream().noneMatch(Frame::mayBeSilent)) {
            throw new AssertionError("closed on good requests: " + unanswered + " in "
                    + HexFormat.of().formatHex(stream));
        }
    }

    private boolean allAnswered() {
        return unanswered.stream().allMatch(Frame::mayBeSilent);
    }

    private boolean firstMayWait() {
        return unanswered.stream()
                .filter(f -> !f.mayBeSilent())
                .findFirst()
                .filter(Frame::mayWait)
                .isPresent();
    }

    /** The stream, what its last frame lacks, and a request that has to be answered; only the stream if it breaks the framing. */
    private byte[] withProbe(byte[] stream) {
        ByteBuffer in = ByteBuffer.wrap(stream);
        while (in.remaining() >= 4) {
            int start = in.position();
            int length = in.getInt();
            if (length < 0 || length > MAX_FRAME) {
                return stream; // the server closes
            }
            int missing = Math.max(0, length - in.remaining());
            endsWithinFrame = missing > MAX_FILLED;
            if (endsWithinFrame) {
                return stream;
            }
            byte[] filled = missing > 0 ? Arrays.copyOf(stream, stream.length + missing) : stream;
            note(filled, start, length);
            if (missing > 0) {
                return followed(filled);
            }
            in.position(in.position() + length);
        }
        endsWithinFrame = in.hasRemaining();
        return endsWithinFrame ? stream : followed(stream);
    }

    private void note(byte[] stream, int start, int length) {
        ByteBuffer frame = ByteBuffer.wrap(stream, start + 4, length).slice();
        if (length < 8) {
            return;
        }
        KafkaSequence.Sent sent = whole.poll();
        boolean same = sent != null
                && Arrays.equals(sent.frame().toArray(), Arrays.copyOfRange(stream, start, start + 4 + length));
        unanswered.add(new Frame(frame.getShort(0), frame.getInt(4), same ? sent : null));
    }

    private byte[] followed(byte[] stream) {
        ByteBuffer probe = ByteBuffer.allocate(14);
        probe.putInt(10)
                .putShort(ApiKeys.API_VERSIONS.id)
                .putShort((short) 0)
                .putInt(PROBE)
                .putShort((short) -1);
        unanswered.add(new Frame(ApiKeys.API_VERSIONS.id, PROBE, null));
        byte[] all = Arrays.copyOf(stream, stream.length + probe.capacity());
        System.arraycopy(probe.array(), 0, all, stream.length, probe.capacity());
        return all;
    }

    /** @return whether the probe was answered */
    private boolean answer(ByteBuffer answer) {
        if (WireClient.showsStackTrace(answer)) {
            throw new AssertionError("a stack trace in the answer to " + unanswered.peek());
        }
        int correlation = answer.getInt(0);
        Frame frame = unanswered.poll();
        while (frame != null && frame.correlation() != correlation && frame.mayBeSilent()) {
            frame = unanswered.poll();
        }
        if (frame == null || frame.correlation() != correlation) {
            throw new AssertionError("an answer to " + correlation + " where one to " + frame + " is due");
        }
        boolean ambiguous = unanswered.stream().anyMatch(other -> other.correlation() == correlation);
        if (frame.sent() != null && frame.sent().whole() && !ambiguous) {
            parse(frame.sent(), answer);
        }
        probed = unanswered.isEmpty() && correlation == PROBE;
        return probed;
    }

    private void parse(KafkaSequence.Sent sent, ByteBuffer answer) {
        ApiMessage message = ApiMessageType.fromApiKey(sent.api().id).newResponse();
        answer.position(sent.api().responseHeaderVersion(sent.version()) == 0 ? 4 : 5); // no tags in the header
        message.read(new ByteBufferAccessor(answer), sent.version());
        if (answer.hasRemaining()) {
            throw new AssertionError(answer.remaining() + " bytes too many in " + message);
        }
        boolean tolerated = sent.api() == ApiKeys.JOIN_GROUP || sent.api() == ApiKeys.CONSUMER_GROUP_HEARTBEAT;
        if (!tolerated && message.toString().contains("errorCode=" + Errors.UNKNOWN_SERVER_ERROR.code() + ",")) {
            throw new AssertionError("a good request failed: " + message);
        }
        known.learn(message);
    }
}
