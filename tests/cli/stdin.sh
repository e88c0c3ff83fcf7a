printf 'show 1 + 2\n' | $imp run --backend=eval -
printf 'show 1 + two\n' | $imp run --backend=eval -
printf 'let   a=1' | $imp fmt -
