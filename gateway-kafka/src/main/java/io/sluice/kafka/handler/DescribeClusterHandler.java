package io.sluice.kafka.handler;

import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.ServerNode;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData.DescribeClusterBroker;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;

/** DescribeCluster, versions 0-2. There are no controllers to describe; authorized operations are never listed. */
public final class DescribeClusterHandler implements ApiHandler {
    private static final byte BROKERS = 1;

    private final ServerNode node;

    public DescribeClusterHandler(ServerNode node) {
        this.node = node;
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
                .setClusterId(node.clusterId())
                .setControllerId(node.id())
                .setEndpointType(BROKERS);
        answer.brokers()
                .add(new DescribeClusterBroker()
                        .setBrokerId(node.id())
                        .setHost(node.host())
                        .setPort(node.port().getAsInt()));
        context.complete(answer);
    }
}
