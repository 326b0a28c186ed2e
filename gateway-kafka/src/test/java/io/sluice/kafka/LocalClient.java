package io.sluice.kafka;

import io.sluice.kafka.api.ClientConnection;
import java.net.InetAddress;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;

/** A client on loopback of an open listener, without a socket. */
public final class LocalClient implements ClientConnection {
    @Override
    public String id() {
        return "c";
    }

    @Override
    public InetAddress address() {
        return InetAddress.getLoopbackAddress();
    }

    @Override
    public ListenerName listener() {
        return new ListenerName("PLAINTEXT");
    }

    @Override
    public ClientInformation client() {
        return ClientInformation.EMPTY;
    }

    @Override
    public void client(ClientInformation client) {
        // Has none to keep.
    }

    @Override
    public boolean isOpen() {
        return true;
    }
}
