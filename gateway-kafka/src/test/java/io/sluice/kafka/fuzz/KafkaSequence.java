package io.sluice.kafka.fuzz;

import io.sluice.broker.TestBroker;
import io.sluice.testing.fuzz.FuzzBytes;
import io.sluice.testing.fuzz.Mutator;
import io.sluice.testing.fuzz.WireClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Requests of one client, in one to three bursts; between them it learns from the answers. Some requests are damaged, some
 * sequences are: their order, their bytes as a whole, the moment of the last byte.
 */
final class KafkaSequence {
    private static final ApiKeys[] DATA = {
        ApiKeys.PRODUCE,
        ApiKeys.PRODUCE,
        ApiKeys.FETCH,
        ApiKeys.FETCH,
        ApiKeys.LIST_OFFSETS,
        ApiKeys.METADATA,
        ApiKeys.INIT_PRODUCER_ID,
        ApiKeys.DELETE_RECORDS,
        ApiKeys.OFFSET_FOR_LEADER_EPOCH
    };
    private static final ApiKeys[] GROUPS = {
        ApiKeys.JOIN_GROUP,
        ApiKeys.SYNC_GROUP,
        ApiKeys.HEARTBEAT,
        ApiKeys.OFFSET_COMMIT,
        ApiKeys.OFFSET_FETCH,
        ApiKeys.LEAVE_GROUP,
        ApiKeys.CONSUMER_GROUP_HEARTBEAT,
        ApiKeys.CONSUMER_GROUP_HEARTBEAT,
        ApiKeys.CONSUMER_GROUP_DESCRIBE,
        ApiKeys.DESCRIBE_GROUPS
    };
    private static final int MAX_BURST = 14;
    /** Of correlation ids, so that a damaged one is not the next. */
    private static final int APART = 1000;

    private final Random random;
    private final Mutator mutator;
    private final Map<ApiKeys, Short[]> versions;
    private final ApiKeys[] apis;
    private final Known known;
    private final RequestMaker requests;
    private final boolean harmless;
    private int correlation;

    /** @param versions that the gateway announces, of each API */
    KafkaSequence(long seed, Map<ApiKeys, Short[]> versions, TestBroker broker) {
        this.random = new Random(seed);
        this.mutator = new Mutator(random);
        this.versions = versions;
        this.known = new Known(broker, random);
        this.requests = new RequestMaker(random, known);
        this.apis = switch (random.nextInt(3)) {
            case 0 -> DATA;
            case 1 -> GROUPS;
            default -> versions.keySet().toArray(ApiKeys[]::new);
        };
        this.harmless = random.nextInt(5) == 0;
    }

    /** @return requests sent */
    int play(int port) throws IOException {
        int sent = 0;
        try (WireClient client = new WireClient(port)) {
            for (int left = 1 + random.nextInt(3); left > 0 && !client.isClosed(); left--) {
                sent += burst(client);
            }
        }
        return sent;
    }

    private int burst(WireClient client) throws IOException {
        List<Sent> all = new ArrayList<>();
        for (int left = 1 + random.nextInt(MAX_BURST); left > 0; left--) {
            all.add(request());
        }
        boolean mixed = !harmless && random.nextInt(4) == 0;
        if (mixed) {
            disorder(all);
        }
        FuzzBytes stream = new FuzzBytes();
        all.forEach(one -> stream.append(one.frame()));
        boolean torn = !harmless && random.nextInt(8) == 0;
        if (torn) {
            mutator.damage(stream);
        }
        if (!harmless && random.nextInt(10) == 0) {
            leaveInTheMiddle(client, stream);
            return all.size();
        }
        Exchange exchange = new Exchange(client, known, torn ? List.of() : all);
        exchange.run(stream.toArray(), harmless, random.nextInt(5) == 0 ? 1 + random.nextInt(4) : 1);
        return all.size() + 1;
    }

    /** @param whole nothing of it was damaged */
    record Sent(ApiKeys api, short version, boolean whole, FuzzBytes frame) {}

    private Sent request() {
        ApiKeys api = apis[random.nextInt(apis.length)];
        Short[] spoken = Objects.requireNonNull(versions.get(api));
        short version = spoken[random.nextInt(spoken.length)];
        FuzzBytes body = requests.request(api, version, correlation += APART);
        boolean damaged = !harmless && random.nextInt(2) == 0;
        int before = body.size();
        if (damaged) {
            mutator.damage(body);
        }
        boolean lengthRepaired = !damaged || random.nextInt(12) > 0;
        FuzzBytes frame =
                new FuzzBytes().number(4, lengthRepaired ? body.size() : before).append(body);
        return new Sent(api, version, !damaged, frame);
    }

    private void disorder(List<Sent> all) {
        int one = random.nextInt(all.size());
        switch (random.nextInt(3)) {
            case 0 -> Collections.swap(all, one, random.nextInt(all.size()));
            case 1 -> all.add(all.get(one));
            default -> Collections.reverse(all);
        }
    }

    private void leaveInTheMiddle(WireClient client, FuzzBytes stream) throws IOException {
        byte[] part = Arrays.copyOf(stream.toArray(), random.nextInt(stream.size() + 1));
        client.exchange(part, answer -> false, random.nextInt(3));
        client.close();
    }
}
