package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.http.HttpResponse;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that Pulsar answers and this server cannot yet: clients must not take the answer for an empty list. */
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

    private static void expectMissing(ThrowingCallable call, String request) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PulsarAdminException.class,
                        e -> assertThat(e.getStatusCode()).isEqualTo(501))
                .hasMessageContaining("this server does not have Pulsar's " + request + " yet");
    }

    @Test
    void adminClientIsToldWhatIsMissing() throws Exception {
        var client = admin.client();
        expectMissing(
                () -> client.clusters().getClusterMigration("standalone"), "GET /admin/v2/clusters/standalone/migrate");
    }

    @Test
    void adminClientIsToldWhatMeansNothingHere() {
        assertThatThrownBy(() -> admin.client().functions().getFunctions("public", "default"))
                .hasMessageContaining("GET /admin/v3/functions/public/default: it runs no functions");
    }

    @Test
    void methodsThatOnlyPulsarHas() throws Exception {
        assertThat(admin.ask("POST", "/admin/v2/clusters/standalone/migrate", "{}")
                        .statusCode())
                .isEqualTo(501);
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
