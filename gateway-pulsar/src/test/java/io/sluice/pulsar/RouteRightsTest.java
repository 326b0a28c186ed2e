package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Right;
import io.sluice.broker.access.RightsPage;
import io.vertx.ext.web.Route;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every route of Pulsar's HTTP interface asks for the rights that it says, first and alone; one of them is enough. */
@Timeout(90)
class RouteRightsTest {
    private final AskedRights rights = new AskedRights();
    private TestGateway gateway;
    private TestAdmin admin;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start(rights);
        admin = new TestAdmin(gateway);
    }

    @AfterEach
    void stop() throws Exception {
        admin.close();
        gateway.close();
    }

    private HttpResponse<String> ask(String route) throws Exception {
        String[] words = route.split(" ");
        String body = words[1].endsWith("OnTopics") ? "[{\"topic\": \"persistent://1/1/1\", \"role\": \"1\"}]" : "";
        return admin.ask(words[0], words[1].replaceAll(":[a-zA-Z]+", "1"), body);
    }

    @Test
    void everyRouteSaysWhatItNeeds() {
        Set<String> added = new TreeSet<>();
        for (Route route : admin.routes()) {
            if (route.methods() != null) {
                route.methods().forEach(method -> added.add(method.name() + " " + route.getPath()));
            }
        }
        assertThat(added).hasSizeGreaterThan(50).isEqualTo(admin.rights().keySet());
    }

    @Test
    void aClientWithoutTheRightIsRefusedAndOneThatHasNothingElseIsNot() throws Exception {
        for (var each : admin.rights().entrySet()) {
            rights.asked.clear();
            rights.allowed = right -> !each.getValue().contains(right);
            HttpResponse<String> refused = ask(each.getKey());
            assertThat(refused.statusCode()).as(each.getKey()).isEqualTo(403);
            assertThat(refused.body()).as(each.getKey()).contains(reason(each.getKey()));
            assertThat(rights.asked).as(each.getKey()).containsExactlyInAnyOrderElementsOf(each.getValue());
            for (Right one : each.getValue()) {
                rights.allowed = one::equals;
                assertThat(ask(each.getKey()).statusCode()).as(each.getKey()).isNotIn(401, 403, 500);
            }
        }
    }

    private static final Pattern REGISTRY =
            Pattern.compile("[A-Z]+ /(subjects|schemas|compatibility|config|mode|contexts).*");

    /** Part of a refusal, which clients of the registry read otherwise than those of Pulsar. */
    private static String reason(String route) {
        return REGISTRY.matcher(route).matches() ? "\"error_code\":40301" : "\"reason\":";
    }

    /** Questions about a schema, which is in the request's body. */
    private static final Pattern QUESTION = Pattern.compile(
            "GET .*|POST /admin/v2/schemas/.*/(version|compatibility)|POST /subjects/:subject|POST /compatibility/.*");

    /** Reading a topic changes nothing about it. */
    @Test
    void noRouteThatChangesSomethingIsForReaders() {
        assertThat(admin.rights())
                .allSatisfy((route, needed) -> assertThat(needed)
                        .as(route)
                        .noneMatch(right -> right.operation() == Operation.DESCRIBE
                                && !QUESTION.matcher(route).matches()));
    }

    @Test
    void thePageHasTheTable() throws Exception {
        RightsPage.check("What Pulsar's HTTP routes need", "routes", new TreeMap<>(admin.rights()));
    }
}
