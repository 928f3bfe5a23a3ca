/* counter_keys.h: the keys that choose counters and what they count; each says what happened */
#ifndef TUI_COUNTING_COUNTER_KEYS_H
#define TUI_COUNTING_COUNTER_KEYS_H

struct tui;

/** By enum privilege, as the header has it. */
extern const char *const privilege_name[];

/** Keys 0-9: select the counter of that number. */
void act_select(struct tui *tui, int key);

/** Select the counter left or right of the selected one. */
void act_select_beside(struct tui *tui, int key);

/** Next or previous legal event on the selected counter. */
void act_step(struct tui *tui, int key);

/** Clear the selected counter. */
void act_clear(struct tui *tui, int key);

/** Go back to the set before the last change. */
void act_undo(struct tui *tui, int key);

/** Count the kernel or user mode alone, or both again. */
void act_privilege(struct tui *tui, int key);

/** Leave the counters to another tool, or take them back. */
void act_yield(struct tui *tui, int key);

#endif
