package io.sluice.kafka.fuzz;

import io.sluice.testing.fuzz.FuzzBytes;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/** A sensible value for a field of a request, by its name; now and then another one. */
final class FieldValues {
    private static final String[] CONFIGS = {
        "retention.ms",
        "retention.bytes",
        "cleanup.policy",
        "compression.type",
        "max.message.bytes",
        "min.insync.replicas",
        "segment.bytes",
        "message.timestamp.type",
        "message.timestamp.difference.max.ms",
        "unclean.leader.election.enable",
        "no.such.config"
    };
    private static final String[] CONFIG_VALUES = {
        "1",
        "-1",
        "0",
        "100000",
        "delete",
        "compact",
        "compact,delete",
        "gzip",
        "zstd",
        "producer",
        "uncompressed",
        "true",
        "",
        "LogAppendTime"
    };
    private static final String[] ASSIGNORS = {"range", "uniform", "roundrobin", "nonesuch"};
    private static final byte[] SUBSCRIPTION =
            Utils.toArray(ConsumerProtocol.serializeSubscription(new Subscription(java.util.List.of("t0", "t1"))));
    private static final int UNUSUAL = 40;

    private final Random random;
    private final Known known;
    private ApiKeys api = ApiKeys.API_VERSIONS;
    private String topic = "t0";
    private int element;

    FieldValues(Random random, Known known) {
        this.random = random;
        this.known = known;
    }

    void begin(ApiKeys key, short version) {
        api = key;
        topic = api == ApiKeys.DELETE_TOPICS ? Known.deletedTopic(random) : Known.topic(random);
        element = 0;
    }

    /** The next value belongs to this element of an array. */
    void element(int index) {
        element = index;
    }

    int count(String name, String parent) {
        if (random.nextInt(UNUSUAL) == 0) {
            return random.nextInt(12) - 1;
        }
        return switch (name) {
            case "topics", "topic_names", "configuration_keys" -> random.nextInt(8) == 0 ? -1 : 1 + random.nextInt(2);
            case "topic_partitions" -> known.generation > 0 && random.nextBoolean() ? 1 : 0; // those who join own none
            case "assignments" -> api == ApiKeys.SYNC_GROUP || random.nextInt(4) == 0 ? random.nextInt(3) : 0;
            case "broker_ids", "protocols", "topic_data", "partition_data", "groups", "members" -> 1;
            case "forgotten_topics_data", "states_filter", "types_filter" -> random.nextInt(8) == 0 ? 1 : 0;
            default -> 1 + random.nextInt(2);
        };
    }

    @Nullable
    String text(String name, String parent) {
        if (random.nextInt(UNUSUAL) == 0) {
            return unusualText();
        }
        return switch (name) {
            case "topic", "topic_name", "topic_names", "subscribed_topic_names" -> someTopic();
            case "name" -> named(parent);
            case "resource_name" -> random.nextInt(4) > 0 ? topic : "1";
            case "group_id", "group_ids", "groups", "groups_names", "key", "coordinator_keys" ->
                random.nextInt(6) == 0 ? Known.group(random) : known.group;
            case "member_id" ->
                api == ApiKeys.CONSUMER_GROUP_HEARTBEAT && known.memberId.isEmpty()
                        ? new Uuid(random.nextLong(), random.nextLong()).toString()
                        : known.memberId;
            case "configuration_keys" -> one(CONFIGS);
            case "value" -> one(CONFIG_VALUES);
            case "protocol_type" -> "consumer";
            case "protocol_name" -> "range";
            case "server_assignor" -> random.nextInt(3) == 0 ? one(ASSIGNORS) : null;
            case "subscribed_topic_regex" -> random.nextInt(4) == 0 ? "t[0-3]" : null;
            case "client_software_name", "client_software_version" -> "fuzz-1.0";
            case "rack_id" -> random.nextInt(4) == 0 ? "rack" : api == ApiKeys.FETCH ? "" : null;
            case "committed_metadata" -> random.nextInt(2) == 0 ? "" : "m" + random.nextInt();
            case "states_filter" -> "Stable";
            case "types_filter" -> "classic";
            case "group_instance_id", "instance_id" -> random.nextInt(6) == 0 ? "i" + random.nextInt(3) : null;
            case "transactional_id", "transactional_ids", "v3_and_below_transactional_id" -> transactionalId();
            default -> null;
        };
    }

    private @Nullable String transactionalId() {
        int without = switch (api) {
            case PRODUCE -> 11;
            case INIT_PRODUCER_ID -> 6;
            default -> 0;
        };
        return random.nextInt(12) < without ? null : "tx" + random.nextInt(2);
    }

    private boolean isInTransaction() {
        return switch (api) {
            case ADD_PARTITIONS_TO_TXN, ADD_OFFSETS_TO_TXN, TXN_OFFSET_COMMIT, END_TXN, WRITE_TXN_MARKERS -> true;
            default -> false;
        };
    }

    /** The topic of this request, mostly; those of further elements differ. */
    private String someTopic() {
        return api == ApiKeys.DELETE_TOPICS ? Known.deletedTopic(random) : element == 0 ? topic : Known.topic(random);
    }

    private @Nullable String named(String parent) {
        return switch (parent) {
            case "configs" -> one(CONFIGS);
            case "protocols" -> "range";
            default -> someTopic();
        };
    }

    private @Nullable String unusualText() {
        return switch (random.nextInt(7)) {
            case 0 -> null;
            case 1 -> "";
            case 2 -> "x".repeat(random.nextInt(300));
            case 3 -> "no such thing";
            case 4 -> "\u0000\uffff\ud83d\ude00/..";
            case 5 -> "persistent://public/default/t0";
            default -> "__consumer_offsets";
        };
    }

    private String one(String[] of) {
        return of[random.nextInt(of.length)];
    }

    Uuid id(String name) {
        return random.nextInt(20) == 0 ? new Uuid(random.nextInt(3), random.nextInt(3)) : known.idOf(someTopic());
    }

    FuzzBytes bytes(String name) {
        FuzzBytes content = new FuzzBytes();
        return switch (name) {
            case "metadata", "assignment" -> content.raw(SUBSCRIPTION);
            default -> content.raw(new byte[random.nextInt(40)]);
        };
    }

    long number(String name, String parent) {
        boolean waits = name.equals("max_wait_ms"); // whole requests are answered soon
        if (random.nextInt(UNUSUAL) == 0 && !waits) {
            return random.nextInt(3) == 0 ? random.nextLong() : random.nextInt(5) - 2;
        }
        return switch (name) {
            case "acks" -> random.nextInt(8) == 0 ? 0 : random.nextBoolean() ? 1 : -1;
            case "timeout_ms" -> 500;
            case "session_timeout_ms" -> 50 + random.nextInt(100);
            case "rebalance_timeout_ms", "transaction_timeout_ms" -> 1 + random.nextInt(60);
            case "max_wait_ms" -> random.nextInt(3);
            case "min_bytes" -> random.nextInt(2);
            case "max_bytes", "partition_max_bytes" -> 1 << (8 + random.nextInt(10));
            case "session_id" -> known.fetchSession;
            case "session_epoch" -> known.fetchSession == 0 && random.nextInt(3) > 0 ? -1 : known.fetchEpoch;
            case "generation_id", "generation_id_or_member_epoch" -> known.generation;
            case "member_epoch" -> known.generation < 0 ? 0 : known.generation;
            case "replica_id", "current_leader_epoch", "last_fetched_epoch", "node_id", "log_start_offset" -> -1;
            case "partition", "partition_index", "partition_indexes", "partitions", "index" ->
                random.nextInt(8) == 0 ? 2 : random.nextInt(2);
            case "fetch_offset", "offset", "committed_offset" -> random.nextInt(40);
            case "timestamp" -> random.nextInt(6) - 4;
            case "leader_epoch", "committed_leader_epoch" -> random.nextInt(3);
            case "producer_id", "v3_and_below_producer_id" -> isInTransaction() ? known.producerId : -1;
            case "producer_epoch", "v3_and_below_producer_epoch" -> isInTransaction() ? known.producerEpoch : -1;
            case "retention_time_ms" -> -1;
            case "resource_type" -> random.nextInt(4) == 0 ? 4 : 2;
            case "config_operation" -> random.nextInt(4);
            case "num_partitions" -> random.nextInt(3) == 0 ? -1 : 1 + random.nextInt(3);
            case "count" -> 1 + random.nextInt(6);
            case "replication_factor" -> random.nextBoolean() ? 1 : -1;
            case "broker_ids" -> 1;
            case "response_partition_limit" -> 1 + random.nextInt(2000);
            case "endpoint_type" -> 1;
            case "key_type", "isolation_level" -> random.nextInt(8) == 0 ? 1 : 0;
            default -> random.nextInt(2); // flags
        };
    }
}
