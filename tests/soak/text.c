/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A record as text beside the same record as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "commands.h"
#include "json.h"

/* Texts have twelve digits. */
static const double DIGITS = 1e-11;

/* Texts fold long lists: no more than so many of its numbers are printed. */
enum { MOST = 100 };

/* The text of a field with the lines that go on with it, in one line; NULL if
 * there is no such field. The caller frees it. */
static char *
field_of(const char *text, const char *name)
{
    size_t length = strlen(name), size = 0;
    const char *line = text;
    while (line &&
           (strncmp(line, "  ", 2) != 0 ||
            strncmp(line + 2, name, length) != 0 || line[2 + length] != ' ')) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    if (!line)
        return NULL;
    char *value = NULL;
    FILE *out = open_memstream(&value, &size);
    if (!out)
        abort();
    for (const char *at = line + 2 + length; *at; at++) {
        if (*at == '\n' && strncmp(at, "\n   ", 4) != 0)
            break;
        fputc(*at == '\n' ? ' ' : *at, out);
    }
    fclose(out);
    return value;
}

/* Adds the numbers of a list, and of its lists, to `out`: those behind the
 * first *begin, from which those that are passed are taken off. */
static void
flatten(const struct json *list, int *begin, int room, int *count, double *out)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct json *item = &list->item[i];
        if (item->kind == JSON_LIST) {
            flatten(item, begin, room, count, out);
            continue;
        }
        double number = item->kind == JSON_NUMBER ? item->number : NAN;
        if (--*begin < 0 && *count < room)
            out[(*count)++] = number;
    }
}

static int
count_of(const struct json *list)
{
    int count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->item[i].kind == JSON_LIST ? count_of(&list->item[i]) : 1;
    return count;
}

/* The numbers of a text from `at` to `end`; -1: it has others than numbers. */
static int
numbers_of(const char *at, const char *end, double *out)
{
    int count = 0;
    while (at < end && count < MOST) {
        at += strspn(at, " (),");
        if (at >= end)
            break;
        char *next;
        out[count++] = strtod(at, &next);
        if (next == at)
            return -1;
        at = next;
    }
    return count;
}

static bool
near(double text, double own)
{
    return (isnan(text) && isnan(own)) || text == own ||
           fabs(text - own) <= DIGITS * fabs(own);
}

static void
compare_part(const char *name, const struct json *list, int begin,
             const double *shown, int count, struct finding *finding)
{
    double own[MOST];
    int known = 0, from = begin;
    flatten(list, &from, MOST, &known, own);
    for (int i = 0; i < count; i++)
        if (i >= known || !near(shown[i], own[i]))
            finding_set(finding, "text",
                        "%s: number %d is %.17g as JSON and %.12g as text",
                        name, begin + i, i < known ? own[i] : NAN, shown[i]);
}

static void
compare_list(const char *name, const struct json *list, const char *text,
             struct finding *finding)
{
    const char *begin = strchr(text, '['), *end = strchr(text, ']');
    double shown[MOST];
    if (!begin || !end || end < begin) {
        finding_set(finding, "text", "%s is no list as text: %.100s", name,
                    text);
        return;
    }
    const char *fold = strstr(begin, "...");
    fold = fold && fold < end ? fold : NULL;
    int all = count_of(list);
    int count = numbers_of(begin + 1, fold ? fold : end, shown);
    compare_part(name, list, 0, shown, count, finding);
    if (!fold) {
        if (count >= 0 && count < MOST && count != all)
            finding_set(finding, "text", "%s has %d numbers, %d as text", name,
                        all, count);
        return;
    }
    count = numbers_of(fold + 3, end, shown);
    compare_part(name, list, all - count, shown, count, finding);
    const char *values = strstr(end, "(");
    if (!values || (size_t)strtol(values + 1, NULL, 10) != list->count)
        finding_set(finding, "text", "%s has %zu values, as text %.30s", name,
                    list->count, values ? values : "none");
}

static bool
is_list_of_numbers(const struct json *value)
{
    while (value->kind == JSON_LIST && value->count)
        value = &value->item[0];
    return value->kind == JSON_NUMBER;
}

void
compare_text(const struct runner *runner, const struct model *model,
             const struct result *result, struct finding *finding)
{
    struct runner plain = *runner;
    struct result other;
    if (model->question != ASK_SIMULATE || result->status)
        return;
    plain.plain = true;
    char *text = model_text(model);
    run_text(&plain, text, &other);
    free(text);
    const char *at = result->out;
    struct json *record = json_read(&at);
    if (other.status != result->status)
        finding_set(finding, "status", "status %d as JSON, %d as text",
                    result->status, other.status);
    for (size_t i = 0; record && !other.status && i < record->count; i++) {
        const struct json *value = &record->item[i];
        const char *name = record->key[i];
        if (!is_list_of_numbers(value))
            continue;
        char *shown = field_of(other.out, name);
        if (!shown)
            finding_set(finding, "text", "%s is not in the text", name);
        else if (value->kind == JSON_LIST)
            compare_list(name, value, shown, finding);
        else if (!near(strtod(shown, NULL), value->number))
            finding_set(finding, "text", "%s is %.17g as JSON and %s as text",
                        name, value->number, shown);
        free(shown);
    }
    json_free(record);
    result_free(&other);
}
