package io.sluice.server.wiring;

import io.sluice.broker.quota.ClientQuotas;
import io.sluice.broker.quota.ClientRates;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.concurrent.Executors;

/** Quotas of clients of both protocols, wired on the metadata. */
final class QuotaSide implements AutoCloseable {
    private final ClientQuotas quotas;
    private final ClientRates rates;

    private QuotaSide(ClientQuotas quotas) {
        this.quotas = quotas;
        this.rates = new ClientRates(quotas, System::nanoTime);
    }

    /** @throws StartException the metadata store does not answer */
    static QuotaSide open(Metadata metadata) throws StartException {
        var quotas = new ClientQuotas(metadata, Executors.newVirtualThreadPerTaskExecutor());
        try {
            quotas.load();
        } catch (IOException e) {
            quotas.close();
            throw new StartException("client quotas: " + e.getMessage());
        }
        return new QuotaSide(quotas);
    }

    ClientQuotas quotas() {
        return quotas;
    }

    /** Keeps clients to them. */
    ClientRates rates() {
        return rates;
    }

    @Override
    public void close() {
        quotas.close();
    }
}
