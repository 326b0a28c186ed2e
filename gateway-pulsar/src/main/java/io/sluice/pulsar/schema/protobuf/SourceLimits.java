package io.sluice.pulsar.schema.protobuf;

import io.sluice.pulsar.schema.error.InvalidSchemaException;

/**
 * Limits of what a parser is asked to read, a file with all that it imports: it calls itself for each level of brackets, and takes time by the
 * square of the number of types. Brackets in strings and comments do not count. Comments are taken out: Wire refuses some that others take.
 */
final class SourceLimits {
    private static final int MAX_DEPTH = 64;
    /** Messages, enums and other blocks in braces. */
    private static final int MAX_BLOCKS = 3_000;
    /** Fields, values of enums and other lines. */
    private static final int MAX_STATEMENTS = 20_000;

    private static final int MAX_CHARACTERS = 1024 * 1024;

    private String text = "";
    private StringBuilder plain = new StringBuilder();
    private int at;
    private int blocks;
    private int statements;
    private int characters;

    /** Adds a file; returns it with spaces for its comments. */
    String add(String file) throws InvalidSchemaException {
        text = file;
        plain = new StringBuilder(file);
        at = 0;
        characters += file.length();
        refuseOver(characters, MAX_CHARACTERS, "characters");
        int depth = 0;
        while (at < text.length()) {
            char c = text.charAt(at++);
            switch (c) {
                case '"', '\'' -> skipString(c);
                case '/' -> skipComment();
                case ';' -> statements++;
                case '{', '[', '(', '<' -> {
                    blocks += c == '{' ? 1 : 0;
                    refuseOver(++depth, MAX_DEPTH, "levels");
                }
                case '}', ']', ')', '>' -> depth--;
                default -> {}
            }
        }
        refuseOver(blocks, MAX_BLOCKS, "blocks");
        refuseOver(statements, MAX_STATEMENTS, "statements");
        return plain.toString();
    }

    private static void refuseOver(int count, int most, String what) throws InvalidSchemaException {
        if (count > most) {
            throw new InvalidSchemaException("it has more than " + most + ' ' + what + ", with what it imports");
        }
    }

    private void skipString(char quote) {
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '\\') {
                at++;
            } else if (c == quote || c == '\n') {
                return;
            }
        }
    }

    private void skipComment() {
        int start = at - 1;
        if (text.startsWith("/", at)) {
            int end = text.indexOf('\n', at);
            at = end < 0 ? text.length() : end;
        } else if (text.startsWith("*", at)) {
            int end = text.indexOf("*/", at + 1);
            at = end < 0 ? text.length() : end + 2;
        } else {
            return;
        }
        for (int i = start; i < at; i++) {
            if (plain.charAt(i) != '\n') {
                plain.setCharAt(i, ' ');
            }
        }
    }
}
