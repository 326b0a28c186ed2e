package io.sluice.kafka.connection;

import io.netty.buffer.ByteBuf;
import io.sluice.kafka.api.Api;
import io.sluice.kafka.api.Apis;
import io.sluice.kafka.wire.ByteBufReadable;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.RequestHeader;

/** Reads a request out of its frame. Whatever is wrong with the bytes is an {@link InvalidRequestException}, and no more. */
final class RequestReader {
    /** Requests other than Produce become objects many times their size, so they are kept smaller: 16 MiB. */
    private static final int MAX_PARSED_BYTES = 16 << 20;

    private static final int SMALLEST_HEADER = 8;

    private RequestReader() {}

    /** @throws InvalidRequestException an API that is not spoken */
    static Api api(Apis apis, ByteBuf frame) {
        if (frame.readableBytes() < SMALLEST_HEADER) {
            throw new InvalidRequestException("request of " + frame.readableBytes() + " bytes");
        }
        short key = frame.getShort(frame.readerIndex());
        Api api = apis.find(key);
        if (api == null) {
            throw new InvalidRequestException("API key " + key + " is not spoken");
        }
        return api;
    }

    /** Whether a frame, which may hold anything, begins as a request of this API does. */
    static boolean isOf(Api api, ByteBuf frame) {
        return frame.readableBytes() >= SMALLEST_HEADER && frame.getShort(frame.readerIndex()) == api.key().id;
    }

    /** @throws InvalidRequestException a header that does not parse, or a version that is not spoken */
    static RequestHeader header(Api api, ByteBuf frame) {
        ApiKeys key = api.key();
        short version = frame.getShort(frame.readerIndex() + Short.BYTES);
        boolean spoken = version >= api.minVersion() && version <= api.maxVersion();
        if (!spoken && key != ApiKeys.API_VERSIONS) {
            throw new InvalidRequestException("version " + version + " of " + key.name + " is not spoken");
        }
        short headerVersion = key.requestHeaderVersion(version);
        RequestHeaderData data;
        try {
            data = new RequestHeaderData(new ByteBufReadable(frame), headerVersion);
        } catch (RuntimeException e) {
            throw new InvalidRequestException("header of " + key.name + ": " + e.getMessage());
        }
        return new RequestHeader(data, headerVersion);
    }

    /**
     * Reads what follows the header. May set the header's version to the one in which to answer.
     *
     * @throws InvalidRequestException bytes that do not parse
     */
    static AbstractRequest body(Api api, RequestHeader header, ByteBuf frame) {
        short version = header.apiVersion();
        if (version > api.maxVersion()) {
            // KIP-511: a client newer than this server is answered in version 0, with the versions it may use.
            header.data().setRequestApiVersion((short) 0);
            return new ApiVersionsRequest(new ApiVersionsRequestData(), (short) 0, version);
        }
        if (frame.readableBytes() > MAX_PARSED_BYTES) {
            throw new InvalidRequestException(api.key().name + " request of " + frame.readableBytes() + " bytes");
        }
        try {
            return AbstractRequest.parseRequest(api.key(), version, new ByteBufReadable(frame)).request;
        } catch (RuntimeException e) {
            throw new InvalidRequestException(api.key().name + " request: " + e.getMessage());
        }
    }
}
