package io.sluice.kafka.handler;

import io.sluice.broker.cluster.Cluster;
import io.sluice.kafka.api.Api;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.Apis;
import io.sluice.kafka.api.RequestContext;
import java.util.function.Supplier;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ApiVersionsResponseData.FinalizedFeatureKey;
import org.apache.kafka.common.message.ApiVersionsResponseData.SupportedFeatureKey;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ApiVersionsRequest;

/**
 * ApiVersions, versions 0-5. An unsupported version is answered in version 0 with the versions that work (KIP-511).
 *
 * <p>Produce is listed from version 0, though 0-2 close the connection: older librdkafka takes their absence for a broker
 * without compression. Of the features {@code metadata.version}, {@code group.version} and, where there are transactions or share groups,
 * {@code transaction.version} and {@code share.version} are listed: the others (streams, kraft) would make clients use what does not work yet.
 */
public final class ApiVersionsHandler implements ApiHandler {
    /** Kafka 4.0-IV3, the level at which a broker speaks every API that is in the table. */
    private static final short METADATA_VERSION = 25;

    private static final short GROUP_VERSION = 1;

    /** Producers have a new epoch after each transaction (KIP-890). */
    private static final short TRANSACTION_VERSION = 2;

    /** Share groups without dead-letter topics (KIP-932). */
    private static final short SHARE_VERSION = 1;

    /** Streams groups (KIP-1071). */
    private static final short STREAMS_VERSION = 1;

    /** Rises when the finalized features change; they are fixed in this version of the server. */
    private static final long FEATURES_EPOCH = 3;

    private final Supplier<Apis> apis;
    private final Cluster cluster;

    /** @param apis the table this handler is itself part of */
    public ApiVersionsHandler(Supplier<Apis> apis, Cluster cluster) {
        this.apis = apis;
        this.cluster = cluster;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.API_VERSIONS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        ApiVersionsRequest asked = (ApiVersionsRequest) request;
        if (asked.hasUnsupportedRequestVersion()) {
            context.complete(unsupported());
            return;
        }
        if (!asked.isValid()) {
            context.fail(Errors.INVALID_REQUEST);
            return;
        }
        if (context.version() >= 3) {
            context.connection()
                    .client(new ClientInformation(
                            asked.data().clientSoftwareName(), asked.data().clientSoftwareVersion()));
        }
        if (isForAnother(asked)) {
            context.fail(Errors.REBOOTSTRAP_REQUIRED);
            return;
        }
        context.complete(versions(context.version()));
    }

    /** KIP-1242: the client followed an old address to a server that is not the one it means. */
    private boolean isForAnother(ApiVersionsRequest asked) {
        String meant = asked.data().clusterId();
        int wanted = asked.data().nodeId();
        return (meant != null && !meant.equals(cluster.id()))
                || (wanted >= 0 && wanted != cluster.self().id());
    }

    private ApiVersionsResponseData unsupported() {
        ApiVersionsResponseData answer = new ApiVersionsResponseData().setErrorCode(Errors.UNSUPPORTED_VERSION.code());
        answer.apiKeys().add(range(this));
        return answer;
    }

    private ApiVersionsResponseData versions(short version) {
        ApiVersionsResponseData answer = new ApiVersionsResponseData();
        apis.get().all().forEach(api -> answer.apiKeys().add(range(api)));
        if (version >= 3) {
            feature(answer, "metadata.version", (short) 7, METADATA_VERSION);
            featureFromZero(answer, version, "group.version", GROUP_VERSION);
            if (apis.get().find(ApiKeys.END_TXN.id) != null) {
                featureFromZero(answer, version, "transaction.version", TRANSACTION_VERSION);
            }
            if (apis.get().find(ApiKeys.SHARE_FETCH.id) != null) {
                featureFromZero(answer, version, "share.version", SHARE_VERSION);
            }
            if (apis.get().find(ApiKeys.STREAMS_GROUP_HEARTBEAT.id) != null) {
                featureFromZero(answer, version, "streams.version", STREAMS_VERSION);
            }
            answer.setFinalizedFeaturesEpoch(FEATURES_EPOCH);
        }
        return answer;
    }

    private static void featureFromZero(ApiVersionsResponseData answer, short version, String name, short level) {
        if (version >= 4) { // KAFKA-17011: before, a feature whose minimum is 0 breaks the client
            feature(answer, name, (short) 0, level);
        } else {
            finalized(answer, name, level);
        }
    }

    private static void feature(ApiVersionsResponseData answer, String name, short min, short level) {
        answer.supportedFeatures()
                .add(new SupportedFeatureKey().setName(name).setMinVersion(min).setMaxVersion(level));
        finalized(answer, name, level);
    }

    private static void finalized(ApiVersionsResponseData answer, String name, short level) {
        answer.finalizedFeatures()
                .add(new FinalizedFeatureKey()
                        .setName(name)
                        .setMinVersionLevel(level)
                        .setMaxVersionLevel(level));
    }

    private static ApiVersion range(Api api) {
        short min = api.key() == ApiKeys.PRODUCE ? ApiKeys.PRODUCE_API_VERSIONS_RESPONSE_MIN_VERSION : api.minVersion();
        return new ApiVersion().setApiKey(api.key().id).setMinVersion(min).setMaxVersion(api.maxVersion());
    }
}
