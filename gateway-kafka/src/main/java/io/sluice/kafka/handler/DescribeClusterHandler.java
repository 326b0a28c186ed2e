package io.sluice.kafka.handler;

import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData.DescribeClusterBroker;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;

/** DescribeCluster, versions 0-2. There are no controllers to describe; authorized operations are never listed. */
public final class DescribeClusterHandler implements ApiHandler {
    private static final byte BROKERS = 1;

    private final KafkaServices services;

    public DescribeClusterHandler(KafkaServices services) {
        this.services = services;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_CLUSTER;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        DescribeClusterRequestData asked = (DescribeClusterRequestData) request.data();
        if (asked.endpointType() != BROKERS) {
            context.fail(Errors.UNSUPPORTED_ENDPOINT_TYPE, "this server has no controller listener");
            return;
        }
        DescribeClusterResponseData answer = new DescribeClusterResponseData()
                .setClusterId(services.cluster().id())
                .setControllerId(services.controllerId(context.connection()))
                .setEndpointType(BROKERS);
        if (asked.includeClusterAuthorizedOperations()) {
            answer.setClusterAuthorizedOperations(services.access().operationsOnCluster(context.principal()));
        }
        for (ClusterNode node : services.brokers(context.connection())) {
            Endpoint endpoint = KafkaServices.endpoint(node, context.connection());
            answer.brokers()
                    .add(new DescribeClusterBroker()
                            .setBrokerId(node.id())
                            .setHost(endpoint.host())
                            .setPort(endpoint.port())
                            .setRack(KafkaServices.rackOf(node)));
        }
        context.complete(answer);
    }
}
