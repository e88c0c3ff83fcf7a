# `:save` writes over no file unless it is told to.
cd $tmp
echo precious >old.imp
printf 'let a = 3\n:save old.imp\n' | $imp repl --backend=eval
cat old.imp
printf 'let a = 3\n:save ! old.imp\n:save new.imp\n' | $imp repl --backend=eval
cat old.imp new.imp
