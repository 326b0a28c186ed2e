package io.sluice.kafka.api;

import static io.sluice.broker.access.Right.cluster;
import static io.sluice.broker.access.Right.delegationToken;
import static io.sluice.broker.access.Right.group;
import static io.sluice.broker.access.Right.topic;
import static io.sluice.broker.access.Right.transactionalId;
import static io.sluice.broker.access.Right.user;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Right;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Rights for which each API asks, all that any of its requests may need. What a client may do with a
 * resource, which some answers tell, is beside this. An API that is not here is not spoken; a test holds what handlers
 * ask for against this table, and docs/security.md has it.
 */
public final class ApiRights {
    private static final Map<ApiKeys, SortedSet<Right>> TABLE = new EnumMap<>(ApiKeys.class);

    static {
        add(ApiKeys.PRODUCE, topic(Operation.WRITE), transactionalId(Operation.WRITE));
        add(ApiKeys.FETCH, topic(Operation.READ));
        add(ApiKeys.LIST_OFFSETS, topic(Operation.DESCRIBE));
        add(ApiKeys.METADATA, topic(Operation.DESCRIBE), topic(Operation.CREATE), cluster(Operation.CREATE));
        add(ApiKeys.OFFSET_COMMIT, group(Operation.READ), topic(Operation.READ));
        add(ApiKeys.OFFSET_FETCH, group(Operation.DESCRIBE), topic(Operation.DESCRIBE));
        add(ApiKeys.FIND_COORDINATOR, group(Operation.DESCRIBE), transactionalId(Operation.DESCRIBE));
        add(ApiKeys.JOIN_GROUP, group(Operation.READ));
        add(ApiKeys.HEARTBEAT, group(Operation.READ));
        add(ApiKeys.LEAVE_GROUP, group(Operation.READ));
        add(ApiKeys.SYNC_GROUP, group(Operation.READ));
        add(ApiKeys.DESCRIBE_GROUPS, group(Operation.DESCRIBE));
        add(ApiKeys.LIST_GROUPS, cluster(Operation.DESCRIBE), group(Operation.DESCRIBE));
        add(ApiKeys.DELETE_GROUPS, group(Operation.DELETE));
        add(ApiKeys.OFFSET_DELETE, group(Operation.DELETE), topic(Operation.READ));
        add(ApiKeys.CONSUMER_GROUP_HEARTBEAT, group(Operation.READ), topic(Operation.DESCRIBE));
        add(ApiKeys.CONSUMER_GROUP_DESCRIBE, group(Operation.DESCRIBE), topic(Operation.DESCRIBE));
        add(
                ApiKeys.STREAMS_GROUP_HEARTBEAT,
                group(Operation.READ),
                topic(Operation.DESCRIBE),
                topic(Operation.CREATE),
                cluster(Operation.CREATE));
        add(ApiKeys.STREAMS_GROUP_DESCRIBE, group(Operation.DESCRIBE), topic(Operation.DESCRIBE));
        add(ApiKeys.SHARE_GROUP_HEARTBEAT, group(Operation.READ), topic(Operation.DESCRIBE));
        add(ApiKeys.SHARE_GROUP_DESCRIBE, group(Operation.DESCRIBE), topic(Operation.DESCRIBE));
        add(ApiKeys.SHARE_FETCH, group(Operation.READ), topic(Operation.READ));
        add(ApiKeys.SHARE_ACKNOWLEDGE, group(Operation.READ), topic(Operation.READ));
        add(ApiKeys.DESCRIBE_SHARE_GROUP_OFFSETS, group(Operation.DESCRIBE), topic(Operation.DESCRIBE));
        add(ApiKeys.ALTER_SHARE_GROUP_OFFSETS, group(Operation.READ), topic(Operation.READ));
        add(ApiKeys.DELETE_SHARE_GROUP_OFFSETS, group(Operation.DELETE), topic(Operation.READ));
        add(ApiKeys.SASL_HANDSHAKE);
        add(ApiKeys.SASL_AUTHENTICATE);
        add(ApiKeys.API_VERSIONS);
        add(
                ApiKeys.CREATE_TOPICS,
                cluster(Operation.CREATE),
                topic(Operation.CREATE),
                topic(Operation.DESCRIBE_CONFIGS));
        add(ApiKeys.DELETE_TOPICS, topic(Operation.DELETE));
        add(ApiKeys.DELETE_RECORDS, topic(Operation.DELETE));
        add(ApiKeys.CREATE_PARTITIONS, topic(Operation.ALTER));
        add(
                ApiKeys.INIT_PRODUCER_ID,
                transactionalId(Operation.WRITE),
                cluster(Operation.IDEMPOTENT_WRITE),
                topic(Operation.WRITE));
        add(ApiKeys.OFFSET_FOR_LEADER_EPOCH, cluster(Operation.CLUSTER_ACTION), topic(Operation.DESCRIBE));
        add(
                ApiKeys.ADD_PARTITIONS_TO_TXN,
                cluster(Operation.CLUSTER_ACTION),
                transactionalId(Operation.WRITE),
                topic(Operation.WRITE));
        add(ApiKeys.ADD_OFFSETS_TO_TXN, transactionalId(Operation.WRITE), group(Operation.READ));
        add(ApiKeys.END_TXN, transactionalId(Operation.WRITE));
        add(ApiKeys.WRITE_TXN_MARKERS, cluster(Operation.ALTER), cluster(Operation.CLUSTER_ACTION));
        add(ApiKeys.TXN_OFFSET_COMMIT, transactionalId(Operation.WRITE), group(Operation.READ), topic(Operation.READ));
        add(ApiKeys.DESCRIBE_ACLS, cluster(Operation.DESCRIBE));
        add(ApiKeys.CREATE_ACLS, cluster(Operation.ALTER));
        add(ApiKeys.DELETE_ACLS, cluster(Operation.ALTER));
        add(
                ApiKeys.DESCRIBE_CONFIGS,
                cluster(Operation.DESCRIBE_CONFIGS),
                group(Operation.DESCRIBE_CONFIGS),
                topic(Operation.DESCRIBE_CONFIGS));
        for (ApiKeys alter : List.of(ApiKeys.ALTER_CONFIGS, ApiKeys.INCREMENTAL_ALTER_CONFIGS)) {
            add(
                    alter,
                    cluster(Operation.ALTER_CONFIGS),
                    group(Operation.ALTER_CONFIGS),
                    topic(Operation.ALTER_CONFIGS));
        }
        add(ApiKeys.DESCRIBE_LOG_DIRS, cluster(Operation.DESCRIBE), topic(Operation.DESCRIBE));
        add(ApiKeys.DESCRIBE_CLUSTER);
        add(ApiKeys.DESCRIBE_PRODUCERS, topic(Operation.READ));
        add(ApiKeys.DESCRIBE_TRANSACTIONS, transactionalId(Operation.DESCRIBE), topic(Operation.DESCRIBE));
        add(ApiKeys.LIST_TRANSACTIONS, transactionalId(Operation.DESCRIBE));
        add(ApiKeys.DESCRIBE_TOPIC_PARTITIONS, topic(Operation.DESCRIBE));
        add(ApiKeys.CREATE_DELEGATION_TOKEN, user(Operation.CREATE_TOKENS));
        add(ApiKeys.RENEW_DELEGATION_TOKEN);
        add(ApiKeys.EXPIRE_DELEGATION_TOKEN);
        add(ApiKeys.DESCRIBE_DELEGATION_TOKEN, delegationToken(Operation.DESCRIBE), user(Operation.DESCRIBE_TOKENS));
        add(ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS, cluster(Operation.DESCRIBE));
        add(ApiKeys.ALTER_USER_SCRAM_CREDENTIALS, cluster(Operation.ALTER));
        add(ApiKeys.DESCRIBE_CLIENT_QUOTAS, cluster(Operation.DESCRIBE_CONFIGS));
        add(ApiKeys.ALTER_CLIENT_QUOTAS, cluster(Operation.ALTER_CONFIGS));
    }

    private ApiRights() {}

    private static void add(ApiKeys api, Right... rights) {
        TABLE.put(api, Collections.unmodifiableSortedSet(new TreeSet<>(Set.of(rights))));
    }

    /**
     * Rights of which its requests need some; none if everybody may send them.
     *
     * @throws IllegalArgumentException nobody has said
     */
    public static SortedSet<Right> of(ApiKeys api) {
        SortedSet<Right> rights = TABLE.get(api);
        if (rights == null) {
            throw new IllegalArgumentException("which rights " + api + " needs is missing in ApiRights");
        }
        return rights;
    }
}
