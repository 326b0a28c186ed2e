package io.sluice.transactions.peer;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.transactions.TransactionError;
import io.sluice.transactions.TransactionQuestion;
import io.sluice.transactions.TransactionQuestion.Adding;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Questions to coordinators, and their answers, as bytes. Version 1 has the user behind each question, which servers before that cannot
 * check; version 0 has none. Answers are the same.
 */
final class QuestionBodies {
    static final short WITHOUT_USERS = 0;
    static final short WITH_USERS = 1;

    private static final byte VERIFY = 0;
    private static final byte ADD = 1;
    private static final byte ADD_AND_BUMP = 2;

    private QuestionBodies() {}

    /** @param questions that all have a user in the version with users, and else none */
    static byte[] questions(List<TransactionQuestion> questions, short version) {
        return Fields.bytes(out -> {
            Packed.writeUnsigned(out, questions.size());
            for (TransactionQuestion each : questions) {
                write(out, each);
                if (version == WITH_USERS) {
                    Packed.writeString(out, Objects.requireNonNull(each.user()));
                }
            }
        });
    }

    /** Bytes that a question takes at most. */
    static int most(TransactionQuestion question) {
        String user = question.user();
        return 32
                + Fields.most(question.transactionalId())
                + Fields.most(question.partition())
                + (user == null ? 0 : Fields.most(user));
    }

    private static void write(ByteBuf out, TransactionQuestion question) {
        Packed.writeString(out, question.transactionalId());
        Fields.write(out, question.producer());
        Fields.write(out, question.partition());
        Adding adding = question.adding();
        if (adding == null) {
            out.writeByte(VERIFY);
        } else {
            out.writeByte(adding.bumps() ? ADD_AND_BUMP : ADD);
            Packed.writeUnsigned(out, adding.waitMillis());
        }
    }

    static List<TransactionQuestion> questions(byte[] body, short version) {
        return Fields.read(body, in -> {
            List<TransactionQuestion> all = new ArrayList<>();
            for (int n = Fields.readCount(in); n > 0; n--) {
                all.add(readQuestion(in, version));
            }
            return all;
        });
    }

    private static TransactionQuestion readQuestion(ByteBuf in, short version) {
        String id = Packed.readString(in);
        var producer = Fields.readProducer(in);
        var partition = Fields.readParticipant(in);
        byte kind = in.readByte();
        Adding adding = switch (kind) {
            case VERIFY -> null;
            case ADD, ADD_AND_BUMP -> new Adding(kind == ADD_AND_BUMP, Packed.readUnsigned(in));
            default -> throw new IllegalStateException("a question of kind " + kind);
        };
        String user = version == WITH_USERS ? Packed.readString(in) : null;
        return new TransactionQuestion(id, producer, partition, adding, user);
    }

    /** @param answers by question; null for yes */
    static byte[] answers(@Nullable TransactionError[] answers) {
        return Fields.bytes(out -> {
            Packed.writeUnsigned(out, answers.length);
            for (TransactionError each : answers) {
                Packed.writeString(out, each == null ? "" : each.name());
            }
        });
    }

    static @Nullable TransactionError[] answers(byte[] body) {
        return Fields.read(body, in -> {
            @Nullable TransactionError[] answers = new TransactionError[Fields.readCount(in)];
            for (int i = 0; i < answers.length; i++) {
                String name = Packed.readString(in);
                answers[i] = name.isEmpty() ? null : errorOf(name);
            }
            return answers;
        });
    }

    /** One that this version does not know may pass. */
    private static TransactionError errorOf(String name) {
        try {
            return TransactionError.valueOf(name);
        } catch (IllegalArgumentException e) {
            return TransactionError.UNAVAILABLE;
        }
    }
}
