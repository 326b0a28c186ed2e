package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.pulsar.common.policies.data.ResourceGroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that are posted to one of two nodes, and resource groups that are made at one. */
@Timeout(60)
class TwoNodesPublishTest {
    private static final String TOPICS = "/topics/persistent/public/default/";
    private static final String BODY = "{\"messages\": [{\"payload\": \"a\"}, {\"payload\": \"b\"}]}";

    private TwoGateways both;
    private TwoAdmins admins;

    @BeforeEach
    void start() throws Exception {
        both = new TwoGateways();
        admins = new TwoAdmins(both);
    }

    @AfterEach
    void close() throws Exception {
        admins.close();
        both.close();
    }

    @Test
    void aNodeSendsOnWhatIsForATopicOfTheOther() throws Exception {
        for (String topic : List.of("plain0", "plain1")) {
            int stored = 0;
            for (int node = 1; node <= 2; node++) {
                HttpResponse<String> answer = admins.of(node).ask("POST", TOPICS + topic, BODY);
                if (answer.statusCode() == 307) {
                    URI other =
                            URI.create(answer.headers().firstValue("Location").orElseThrow());
                    assertThat(other.getPort()).isEqualTo(admins.of(3 - node).port());
                    assertThat(other.getPath()).isEqualTo(TOPICS + topic);
                } else {
                    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                    stored++;
                }
            }
            assertThat(stored).as(topic).isEqualTo(1);
        }
    }

    @Test
    void eachNodeTakesMessagesForItsPartitions() throws Exception {
        Set<String> used = new TreeSet<>();
        for (int node = 1; node <= 2; node++) {
            HttpResponse<String> answer = admins.of(node).ask("POST", TOPICS + "t", BODY);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            new JsonObject(answer.body())
                    .getJsonArray("messagePublishResults")
                    .forEach(each ->
                            used.add(((JsonObject) each).getString("messageId").replaceAll(".*:", "")));
        }
        assertThat(used).hasSize(TwoGateways.PARTITIONS);
    }

    @Test
    void aGroupIsKnownByBoth() throws Exception {
        ResourceGroup group = new ResourceGroup();
        group.setPublishRateInMsgs(7);
        admins.of(1).client().resourcegroups().createResourceGroup("shared", group);
        admins.of(1).client().namespaces().setNamespaceResourceGroup("public/default", "shared");
        var second = admins.of(2).client();
        await().until(() -> second.resourcegroups().getResourceGroups().contains("shared"));
        assertThat(second.resourcegroups().getResourceGroup("shared").getPublishRateInMsgs())
                .isEqualTo(7);
        await().until(() -> "shared".equals(second.namespaces().getNamespaceResourceGroup("public/default")));
    }
}
