package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that Pulsar answers and this server does not: clients must not take the answer for an empty list. */
class MissingRoutesTest extends ClientTest {
    private TestAdmin admin;

    @BeforeEach
    void startAdmin() throws Exception {
        admin = new TestAdmin(gateway);
    }

    @AfterEach
    void stopAdmin() throws Exception {
        admin.close();
    }

    @Test
    void adminClientIsToldWhatMeansNothingHere() {
        assertThatThrownBy(() -> admin.client().functions().getFunctions("public", "default"))
                .hasMessageContaining("GET /admin/v3/functions/public/default: it runs no functions");
    }

    @Test
    void theReasonIsThatOfTheRouteWhichNamesMost() throws Exception {
        String namespace = "/admin/v2/namespaces/public/default/";
        assertThat(admin.ask("DELETE", namespace + "offloadDeletionLagMs").body())
                .contains("everything goes to long-term storage by itself");
        assertThat(admin.ask("DELETE", namespace + "0x00000000_0x40000000").body())
                .contains("there are no bundles to split, move or isolate");
    }

    @Test
    void methodsThatAPathDoesNotHave() throws Exception {
        HttpResponse<String> inBoth = admin.ask("POST", "/admin/v2/tenants", "{}");
        assertThat(inBoth.statusCode()).isEqualTo(405);
        assertThat(inBoth.headers().firstValue("Allow")).hasValue("GET");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/admin/v2/nothing",
                "/admin/v2/persistent/public/default/t/nothing",
                "/admin/v2/persistent/public/default/t/maxProducers/more",
                "/admin/v9/tenants",
                "/lookup/v2/topic/nothing/public/default/t",
                "/topics/nothing"
            })
    void pathsThatPulsarDoesNotHaveEither(String path) throws Exception {
        HttpResponse<String> answer = admin.ask("GET", path);
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).contains("this server does not have GET " + path);
    }
}
