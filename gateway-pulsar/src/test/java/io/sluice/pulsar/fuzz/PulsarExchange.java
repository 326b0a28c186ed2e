package io.sluice.pulsar.fuzz;

import io.netty.buffer.Unpooled;
import io.sluice.pulsar.handler.CommandAnswers;
import io.sluice.testing.fuzz.WireClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.BaseCommand.Type;
import org.apache.pulsar.common.api.proto.CommandSend;
import org.jspecify.annotations.Nullable;

/**
 * Sends a stream of commands and behind it one that is whole, and sees that the server answers this one and every whole one that
 * has to be answered, or closes the connection.
 */
final class PulsarExchange {
    private static final long QUIET_MILLIS = 150;
    private static final int MAX_QUIET = 200;
    private static final int MAX_FRAME = 5 * 1024 * 1024 + 10 * 1024;
    private static final int MAX_FILLED = 1 << 20;
    private static final long PROBE = 0x5eed;

    private final WireClient client;
    private final PulsarKnown known;
    private final List<PulsarSequence.Sent> sent;
    private final Map<Long, BaseCommand> unanswered = new HashMap<>();
    /** Producers and consumers to come, by request id; none if they may be closed before they are heard of. */
    private final Map<Long, BaseCommand> opening = new HashMap<>();

    /** By their last messages. */
    private final Set<Long> sendsUnanswered = new HashSet<>();

    private boolean probed;
    /** The stream ends within a frame too large to be filled up: the connection waits for its bytes. */
    private boolean endsWithinFrame;

    /** @param sent as it was made, in order; empty if the stream as a whole was damaged */
    PulsarExchange(WireClient client, PulsarKnown known, List<PulsarSequence.Sent> sent) {
        this.client = client;
        this.known = known;
        this.sent = sent;
    }

    /**
     * @param harmless nothing was damaged: the server may not close, and every send is answered
     * @param pieces in which the stream is sent
     */
    void run(byte[] stream, boolean harmless, int pieces) throws IOException {
        byte[] rest = withProbe(stream);
        expect(harmless);
        for (int left = pieces; left > 1 && !client.isClosed(); left--) {
            int cut = rest.length / left;
            client.exchange(Arrays.copyOf(rest, cut), this::answer, 1);
            rest = Arrays.copyOfRange(rest, cut, rest.length);
        }
        for (int quiet = 0; !client.isClosed() && !isAnswered(); quiet++) {
            WireClient.End end = client.exchange(rest, this::answer, QUIET_MILLIS);
            rest = new byte[0];
            if (end == WireClient.End.QUIET && endsWithinFrame) {
                client.close();
                return;
            }
            if (quiet == MAX_QUIET) {
                throw new AssertionError("stuck: no answer to " + waitingFor() + " in "
                        + HexFormat.of().formatHex(stream));
            }
        }
        if (harmless && !isAnswered()) {
            throw new AssertionError("closed on good commands: " + waitingFor() + " in "
                    + HexFormat.of().formatHex(stream));
        }
    }

    private String waitingFor() {
        return unanswered.values().stream().map(BaseCommand::getType).toList() + " requests " + unanswered.keySet()
                + ", sends " + sendsUnanswered + (probed ? "" : ", the probe");
    }

    private boolean isAnswered() {
        return probed && unanswered.isEmpty() && sendsUnanswered.isEmpty();
    }

    /** Every whole command with a request id, but those whose producer or consumer may be closed before it is there. */
    private void expect(boolean harmless) {
        boolean closes = sent.stream()
                .anyMatch(one -> !one.whole()
                        || one.command().getType() == Type.CLOSE_PRODUCER
                        || one.command().getType() == Type.CLOSE_CONSUMER);
        boolean framed = sent.stream()
                .allMatch(one -> one.frame().numberAt(0, Math.min(4, one.frame().size()))
                        == one.frame().size() - 4);
        for (PulsarSequence.Sent one : sent) {
            BaseCommand command = one.command();
            Long request = RequestIds.of(command);
            boolean opens = command.getType() == Type.PRODUCER || command.getType() == Type.SUBSCRIBE;
            if (opens && !closes && request != null) {
                opening.put(request, command);
            }
            if (framed && one.whole() && request != null && !(opens && closes)) {
                unanswered.put(request, command);
            }
            boolean open = command.getType() == Type.SEND
                    && known.producers.contains(command.getSend().getProducerId());
            if (harmless && open && !closes) {
                sendsUnanswered.add(last(command.getSend()));
            }
        }
        if (closes) {
            known.producers.clear();
            known.consumers.clear();
        }
    }

    private byte[] withProbe(byte[] stream) {
        ByteBuffer in = ByteBuffer.wrap(stream);
        while (in.remaining() >= 4) {
            int length = in.getInt();
            if (length < 0 || length > MAX_FRAME) {
                return stream; // the server closes
            }
            int missing = Math.max(0, length - in.remaining());
            if (missing > MAX_FILLED) {
                endsWithinFrame = true;
                return stream;
            }
            if (missing > 0) {
                return followed(Arrays.copyOf(stream, stream.length + missing));
            }
            in.position(in.position() + length);
        }
        endsWithinFrame = in.hasRemaining();
        return endsWithinFrame ? stream : followed(stream);
    }

    private static byte[] followed(byte[] stream) {
        byte[] probe = CommandMaker.probe(PROBE).toByteArray();
        ByteBuffer all = ByteBuffer.allocate(stream.length + 8 + probe.length);
        return all.put(stream)
                .putInt(4 + probe.length)
                .putInt(probe.length)
                .put(probe)
                .array();
    }

    /** @return whether nothing more is due */
    private boolean answer(ByteBuffer answer) {
        if (WireClient.showsStackTrace(answer)) {
            throw new AssertionError("a stack trace in an answer");
        }
        BaseCommand command = new BaseCommand();
        int size = answer.getInt();
        command.parseFrom(Unpooled.wrappedBuffer(answer.slice(answer.position(), size)), size);
        known.learn(command);
        @Nullable Long request = RequestIds.of(command);
        if (request != null) {
            probed |= request == PROBE;
            BaseCommand asked = unanswered.remove(request);
            if (asked != null) {
                CommandAnswers.check(asked.getType(), command.getType());
            }
            opened(opening.remove(request), command);
        }
        switch (command.getType()) {
            case SEND_RECEIPT -> sendsUnanswered.remove(command.getSendReceipt().getHighestSequenceId());
            case SEND_ERROR -> sendsUnanswered.remove(command.getSendError().getSequenceId());
            case CLOSE_PRODUCER -> sendsUnanswered.clear(); // the server took it away
            default -> {}
        }
        return isAnswered();
    }

    private void opened(@Nullable BaseCommand opening, BaseCommand answer) {
        if (opening == null) {
            return;
        }
        if (answer.getType() == Type.SUCCESS) {
            known.consumers.add(opening.getSubscribe().getConsumerId());
        } else if (answer.getType() == Type.PRODUCER_SUCCESS
                && answer.getProducerSuccess().isProducerReady()) {
            known.producers.add(opening.getProducer().getProducerId());
        }
    }

    private static long last(CommandSend send) {
        long first = send.getSequenceId();
        return send.hasHighestSequenceId() ? Math.max(first, send.getHighestSequenceId()) : first;
    }
}
