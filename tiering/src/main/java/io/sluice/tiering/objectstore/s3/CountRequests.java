package io.sluice.tiering.objectstore.s3;

import io.sluice.tiering.objectstore.StoreTraffic;
import io.sluice.tiering.objectstore.StoreTraffic.Call;
import java.util.Map;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute;

/** Counts what is sent, attempt by attempt: it is requests that are paid for. */
final class CountRequests implements ExecutionInterceptor {
    private static final Map<String, Call> CALLS = Map.of(
            "PutObject", Call.PUT,
            "GetObject", Call.READ,
            "HeadObject", Call.SIZE,
            "DeleteObjects", Call.DELETE,
            "ListObjectsV2", Call.LIST);

    private final StoreTraffic traffic;

    CountRequests(StoreTraffic traffic) {
        this.traffic = traffic;
    }

    @Override
    public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
        Call call = CALLS.get(attributes.getAttribute(SdkExecutionAttribute.OPERATION_NAME));
        if (call != null) {
            traffic.requested(call);
        }
    }
}
