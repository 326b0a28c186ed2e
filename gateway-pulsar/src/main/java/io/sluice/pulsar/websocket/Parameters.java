package io.sluice.pulsar.websocket;

import io.vertx.core.MultiMap;
import org.jspecify.annotations.Nullable;

/** Query parameters of a socket; those that nobody knows are not looked at, as in Pulsar. */
final class Parameters {
    private final MultiMap values;

    Parameters(MultiMap values) {
        this.values = values;
    }

    boolean has(String name) {
        return values.contains(name);
    }

    /** Null if it is not given. */
    @Nullable
    String text(String name) {
        return values.get(name);
    }

    boolean flag(String name) {
        return Boolean.parseBoolean(values.get(name));
    }

    /** @param without what counts if it is not given */
    long number(String name, long without, long least, long most) throws BadRequestException {
        String text = values.get(name);
        if (text == null) {
            return without;
        }
        try {
            long number = Long.parseLong(text.strip());
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // refused below
        }
        throw new BadRequestException(name + " must be a number from " + least + " to " + most);
    }

    int number(String name, int without, int least, int most) throws BadRequestException {
        return (int) number(name, (long) without, least, most);
    }

    /** @param without what counts if it is not given */
    <E extends Enum<E>> E choice(String name, Class<E> of, E without) throws BadRequestException {
        String text = values.get(name);
        if (text == null) {
            return without;
        }
        try {
            return Enum.valueOf(of, text);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("Invalid " + name + " " + text);
        }
    }
}
